/** A user's own sinks, and those of the package put together. */
import { run, type SinkOutput } from 'rxtract';
import {
  all,
  batchOf,
  type Check,
  checkSink,
  fromFunction,
  memory,
  type NdjsonOptions,
  ndjson,
  nullSink,
  type Sink,
  sinkFromUri,
  sinks,
  stdout,
  through,
} from 'rxtract/sinks';
import { configuration } from './run.js';

interface User {
  readonly id: number;
}

/** A sink that counts: no optional method is needed. */
export function counting(): Sink<User> & { readonly ids: () => number } {
  let ids = 0;
  return {
    write: (batch) => {
      ids += batch.values().reduce((so, { id }) => so + id, 0);
    },
    close: () => undefined,
    abort: () => undefined,
    summary: (): readonly SinkOutput[] => [{ dataType: 'users', name: 'ids', items: ids, bytes: 0 }],
    ids: () => ids,
  };
}

const counter = counting();
await run<User>(configuration, { to: counter });
console.log(counter.ids());

export const kept = memory();
await run(configuration, { to: all([ndjson('out'), kept, stdout(), nullSink(), sinkFromUri('null:')]) });
const items: readonly unknown[] = kept.items('users');
console.log(items.length, Object.keys(sinks));

export const typed = batchOf('users', [{ id: 1 }]).values()[0]?.id;
export const written = fromFunction<User>(async (batch) => console.log(batch.count));
export type Opening = NonNullable<NdjsonOptions['openFile']>;
export const opening = (options: NdjsonOptions) => options.openFile;
export const narrowed = through(written, (batch) => batch);
export const checks: readonly Check[] = await checkSink(memory, async () => []);
