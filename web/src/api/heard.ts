/** When the server was heard of last, by whatever it sent. */
let heardAtMs = 0;

export function noteHeard(): void {
  heardAtMs = Date.now();
}

/** Milliseconds since 1970; 0 before anything was heard. */
export function lastHeardMs(): number {
  return heardAtMs;
}
