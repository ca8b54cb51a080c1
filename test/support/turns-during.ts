/** How often others have their turn on the event loop until a promise is settled, with what it resolves with. */
export async function turnsDuring<T>(make: () => Promise<T>): Promise<{ readonly value: T; readonly turns: number }> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  try {
    const value = await make();
    return { value, turns };
  } finally {
    isOver = true;
  }
}
