/** A context for the readers: nothing can be asked or fetched, unless a test says so. */
import type { ReadContext } from '../../../src/tools/init/read-context.js';

export const contextOf = (over: Partial<ReadContext> = {}): ReadContext => ({
  env: {},
  params: [],
  choose: async () => undefined,
  ask: async () => undefined,
  fetchText: async (url) => {
    throw new Error(`${url} was fetched`);
  },
  readText: async (path) => {
    throw new Error(`${path} was read`);
  },
  ...over,
});
