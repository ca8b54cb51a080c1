/**
 * Where the rows of a table are folded in: found once for a list of objects that comes again and again, and then read one after
 * the other from memory that lies together.
 */
import type { OpenBuckets } from './open-buckets.ts';
import type { OpenSeries } from './open-object.ts';
import { doublesOf } from './sample-batch.ts';
import { objectsOf, PAIR, type SampleTable } from './sample-table.ts';

interface Found {
  objects: readonly string[];
  metrics: readonly string[];
  /** Of each row: which buckets its series are in. */
  readonly owners: (object | undefined)[];
  /** Row after row, one for each metric. */
  series: OpenSeries[];
}

export class TableRows {
  /** By the bytes of the ids, which stay the same ones for as long as their list is known (`ObjectLists`). */
  readonly #found = new WeakMap<Uint8Array, Found>();

  /** `turnTo` gives the open buckets of the slice at a place of the partition; null where nothing of it is folded in. */
  fold(table: SampleTable, turnTo: (place: number) => OpenBuckets | null): void {
    const { places, metrics } = table;
    const cells = doublesOf(table.values);
    const times = doublesOf(table.times);
    const found = this.#foundOf(table);
    const width = metrics.length;
    const step = times.length === PAIR ? 0 : PAIR;
    for (let row = 0, at = 0, timeAt = 0; row < places.length; row++, at += width, timeAt += step) {
      // A row without samples may be of an object that is not taken.
      if (isEmpty(cells, at, width)) continue;
      const open = turnTo(places[row] as number);
      if (!open) continue;
      if (found.owners[row] !== open.owner) find(found, row, open);
      open.foldRow(found.series, cells, at, width, times[timeAt] as number, times[timeAt + 1] as number);
    }
  }

  #foundOf(table: SampleTable): Found {
    const { metrics } = table;
    const known = this.#found.get(table.objects);
    if (known && isSame(known.metrics, metrics)) return known;
    const objects = known?.objects ?? objectsOf(table);
    const found = { objects, metrics, owners: new Array(objects.length).fill(undefined), series: [] };
    this.#found.set(table.objects, found);
    return found;
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

function isEmpty(cells: Float64Array, at: number, width: number): boolean {
  for (let i = at; i < at + width; i++) if (!Number.isNaN(cells[i])) return false;
  return true;
}

function find({ objects, metrics, owners, series }: Found, row: number, open: OpenBuckets): void {
  const object = open.object(objects[row] as string);
  for (let i = 0; i < metrics.length; i++) {
    const metric = metrics[i] as string;
    series[row * metrics.length + i] = object.find(metric) ?? object.add(metric);
  }
  owners[row] = open.owner;
}
