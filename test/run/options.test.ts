/** The options of `extract` and `run` have every member that users have written: this file compiles. */
import type { Dispatcher } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink, SinkFunction } from '../../sinks/index.js';
import type {
  BoundOptions,
  Checkpoint,
  Environment,
  ExtractOptions,
  Notify,
  OnActivity,
  OutputNaming,
  Receipt,
  RunOptions,
  Store,
} from '../../src/index.js';
import { readExtractOptions } from '../../src/run/options.js';
import { extractRows } from '../../src/run/run-options.js';

/** As they were before rows described them. */
interface ExtractOptionsBefore<Item> extends BoundOptions {
  readonly to?: Sink<Item> | SinkFunction<Item>;
  readonly jobs?: readonly string[];
  readonly concurrency?: number;
  readonly strict?: boolean;
  readonly allow?: readonly string[];
  readonly notify?: Notify;
  readonly maxItemBytes?: number;
  readonly maxBodyBytes?: number;
  readonly state?: object;
  readonly env?: Environment;
  readonly outputNames?: OutputNaming;
  readonly replaceEmpty?: boolean;
  readonly dispatcher?: Dispatcher;
  readonly proxy?: string;
  readonly cacheFolder?: string;
  readonly dataFolder?: boolean;
  readonly onActivity?: OnActivity;
  readonly checkpoint?: Checkpoint;
}

interface RunOptionsBefore<Item> extends ExtractOptionsBefore<Item> {
  readonly onReceipt?: (receipt: Receipt) => void;
  readonly signal?: AbortSignal;
  readonly store?: Store;
  readonly resume?: boolean;
}

interface User {
  readonly id: number;
}

/** Members that take more than before. */
type Wider = 'to' | 'resume';

test('options that users have written are options still, and have the same types', () => {
  const before: RunOptionsBefore<User> = { maxItems: 1, strict: true };
  const given: RunOptions<User> = before;
  const extracting: ExtractOptions<User> = { ...before };
  const same: Omit<RunOptionsBefore<User>, Wider> = given;
  assert.equal([same.maxItems, extracting.strict], [1, true]);
});

test('defaults are filled in, and everything that is wrong is said at once', () => {
  assert.is(readExtractOptions({}).concurrency, extractRows.concurrency.default);
  assert.throws(
    () => readExtractOptions({ maxItems: 0, strict: 'yes' }),
    (thrown: Error) =>
      thrown.message ===
      'maxItems: expected a whole number from 1 up, found a number\nstrict: expected true or false, found a string',
  );
});

test.run();
