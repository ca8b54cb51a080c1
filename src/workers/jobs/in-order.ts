/**
 * The items in order, of which mostly the first few are asked for: a heap is made in so many steps as there are items, and each
 * item that is taken costs as many as that number has bits. Sorting all would cost the two multiplied.
 */
export function* inOrder<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<T> {
  const heap = [...items];
  const sink = (from: number, size: number): void => {
    const item = heap[from] as T;
    let at = from;
    for (let child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && compare(heap[child + 1] as T, heap[child] as T) < 0) child++;
      if (compare(item, heap[child] as T) <= 0) break;
      heap[at] = heap[child] as T;
      at = child;
    }
    heap[at] = item;
  };
  for (let at = (heap.length >> 1) - 1; at >= 0; at--) sink(at, heap.length);
  for (let size = heap.length; size > 0; size--) {
    const first = heap[0] as T;
    heap[0] = heap[size - 1] as T;
    sink(0, size - 1);
    yield first;
  }
}
