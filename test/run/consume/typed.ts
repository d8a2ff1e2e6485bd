/** The types that flow from `extract<Item>` to every consumer: compiled, never run. */

import type { Readable } from 'node:stream';
import type { Observable } from 'rxjs';
import { filterItems, mapExact, mapItems, memory, ndjson, through } from '../../../sinks/index.js';
import type { Configuration } from '../../../src/config/configuration.js';
import { type Batch, type Extraction, extract, type JobExtraction, run, type Sink } from '../../../src/index.js';

interface User {
  readonly id: string;
  readonly active: boolean;
}
interface Order {
  readonly total: number;
}
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <T extends true>(): T | undefined => undefined;

/** Never called. */
export async function typed(configuration: Configuration): Promise<void> {
  const users = extract<User>(configuration);
  for await (const item of users.items()) is<Same<typeof item, User>>();
  for await (const batch of users.batches()) is<Same<typeof batch, Batch<User>>>();
  for await (const batch of users.batches()) is<Same<ReturnType<typeof batch.values>, readonly User[]>>();
  for await (const item of users.readable()) is<Same<typeof item, User>>();
  for await (const batch of users.readable({ as: 'batches' })) is<Same<typeof batch, Batch<User>>>();
  for await (const chunk of users.readable({ as: 'bytes' })) is<Same<typeof chunk, Buffer>>();
  users.readable() satisfies Readable;
  users.observable() satisfies Observable<User>;
  users.jobs satisfies readonly JobExtraction<User>[];
  // @ts-expect-error: items are users
  users.observable() satisfies Observable<Order>;

  const plain = extract(configuration);
  for await (const item of plain.items()) is<Same<typeof item, unknown>>();
  plain satisfies Extraction;
  plain.job<Order>('orders').observable() satisfies Observable<Order>;
  const both = extract<User | Order>(configuration);
  both.job<Order>('orders').items() satisfies AsyncIterable<Order>;
  // @ts-expect-error: the items of a job are among those of the extraction
  both.job<string>('orders');

  const names = users.through(filterItems((user) => user.active)).through(mapItems((user) => user.id));
  for await (const name of names.items()) is<Same<typeof name, string>>();
  const later = users.through(mapItems(async ({ id }) => id.length));
  for await (const length of later.items()) is<Same<typeof length, number>>();
  users.through(mapExact((item) => item)).items() satisfies AsyncIterable<unknown>;
  // @ts-expect-error: users have no total
  users.through(mapItems(({ total }) => total));
  const isUser = (item: unknown): item is User => typeof item === 'object';
  plain.through(filterItems(isUser)).items() satisfies AsyncIterable<User>;

  await run<User>(configuration, { to: (batch) => batch.values().map(({ id }) => id) });
  await run(configuration, { to: (batch) => is<Same<typeof batch, Batch>>() && [] });
  await run(configuration, { to: memory() });
  await run<User>(configuration, { to: ndjson('out') });
  through(
    ndjson('out'),
    filterItems((user: User) => user.active),
    mapItems(({ id }) => id.length),
  ) satisfies Sink<User>;
  through(
    (batch: Batch<number>) => void batch.values(),
    // @ts-expect-error: the function wants numbers
    mapItems((user: User) => user.id),
  );
}
