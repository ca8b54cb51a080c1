/** How the rows of a list are written. */
export interface RowStyle {
  readonly format: 'json' | 'ndjson' | 'csv';
  /** Only these, in this order; all where null. */
  readonly fields: readonly string[] | null;
}
