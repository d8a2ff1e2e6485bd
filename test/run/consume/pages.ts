/** Pages to pull in tests of the consumers, and servers that stop in the middle. */

import type { ServerResponse } from 'node:http';
import type { Configuration } from '../../../src/config/configuration.js';
import { startApi } from '../../loopback/api.js';
import { configOf, json, type MockRoutes, pagenum } from '../../support/mock-network.js';

/** Pages of two items, `name1`, `name2`, ..., the last of one. */
export function pages(name: string, count: number): MockRoutes {
  const routes = Array.from({ length: count }, (_, page) => {
    const items = [name + (2 * page + 1), name + (2 * page + 2)].slice(0, page + 1 === count ? 1 : 2);
    return [`GET /${name}?limit=2&page=${page + 1}`, json(items)] as const;
  });
  return Object.fromEntries(routes);
}

/** Jobs over pages of two. */
export const jobsOf = (...names: readonly string[]) =>
  configOf(
    names.map((endpoint) => ({ endpoint })),
    pagenum(2),
  );

/** A list of about `megabytes` items of 1 KiB. */
export const large = (name: string, megabytes: number) =>
  Array.from({ length: megabytes * 1024 }, (_, index) => ({ name, index, filling: 'x'.repeat(990) }));

export function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

export interface Hanging {
  readonly config: Configuration;
  /** The second page has been asked for, and its beginning sent. */
  readonly asked: Promise<void>;
  /** The client has gone. */
  readonly left: Promise<void>;
}

/** Gives two items; the second page hangs after its first characters, or after a whole batch. */
export async function withHangingPage(begins: 'short' | 'with a batch', work: (api: Hanging) => Promise<void>) {
  const [asked, left] = [deferred(), deferred()];
  const hang = (response: ServerResponse) => {
    response.on('close', left.resolve);
    const start = begins === 'short' ? '[3, 4' : `[3, "${'x'.repeat(1_200_000)}", 4`;
    response.write(start, () => asked.resolve());
  };
  const api = await startApi((_, index) => ({ body: index === 0 ? '[1,2]' : hang }));
  try {
    const config = configOf([{ endpoint: 'a' }], { baseUrl: `${api.origin}/`, ...pagenum(2) });
    await work({ config, asked: asked.promise, left: left.promise });
  } finally {
    await api.close();
  }
}
