/** What is wrong with the server, for the person who runs it. */
import type { Handler } from './handler.ts';

export const getDoctor: Handler = async ({ exchange }, { main }) => {
  exchange.json(200, await main.doctor());
};
