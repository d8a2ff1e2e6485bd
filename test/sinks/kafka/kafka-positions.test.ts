/** Which positions of runs count, over a link whose log has records of open, committed and aborted transactions. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isBroken } from '../../../sinks/kafka/kafka-errors.js';
import { preparePositions, readPositions } from '../../../sinks/kafka/kafka-positions.js';
import type { RecordBatch } from '../../../sinks/kafka/kafka-protocol.js';
import { rejection } from '../lib.js';
import { linkOf } from './link.js';

type Records = readonly (readonly [key: string | null, value: string | null])[];

const [transactional, control] = [16, 32];
const bytesOf = (text: string | null) => (text === null ? null : Buffer.from(text));

const batch = (firstOffset: number, attributes: number, producer: number, records: Records): RecordBatch => ({
  ...{ firstOffset: BigInt(firstOffset), lastOffsetDelta: records.length - 1, attributes },
  producerId: BigInt(producer),
  records: records.map(([key, value]) => ({ key: bytesOf(key), value: bytesOf(value) })),
});

/** The end of a transaction. The key has a version and a kind, each of 16 bits: 0 aborts, 1 commits. */
const marker = (firstOffset: number, producer: number, kind: number): RecordBatch => ({
  ...batch(firstOffset, transactional | control, producer, []),
  ...{ lastOffsetDelta: 0, records: [{ key: Buffer.from([0, 0, 0, kind]), value: null }] },
});

/** A log from offset 0, of which a request gets one batch. */
function logOf(batches: readonly RecordBatch[], end: number) {
  const fetched: bigint[] = [];
  const link = linkOf((name, _, ...parameters) => {
    if (name === 'ListOffsets') {
      const [, , [topic]] = parameters as [number, number, [{ partitions: [{ timestamp: bigint }] }]];
      return { topics: [{ partitions: [{ offset: topic.partitions[0].timestamp === -1n ? BigInt(end) : 0n }] }] };
    }
    const topics = parameters[6] as [{ partitions: [{ fetchOffset: bigint }] }];
    const [{ fetchOffset }] = topics[0].partitions;
    fetched.push(fetchOffset);
    const records = batches.filter(({ firstOffset }) => firstOffset === fetchOffset);
    return { responses: [{ partitions: [records.length === 0 ? {} : { records }] }] };
  });
  return { link, fetched };
}

test('positions count when their transaction is committed', async () => {
  const { link, fetched } = logOf(
    [
      batch(0, transactional, 1, [
        ['run a', 'committed'],
        ['other a', 'of another run'],
      ]),
      batch(2, transactional, 2, [['run b', 'aborted']]),
      batch(3, transactional, 1, [['run c', 'also committed']]),
      marker(4, 1, 1),
      marker(5, 2, 0),
      batch(6, transactional, 3, [['run d', 'open']]),
      marker(7, 9, 1),
    ],
    8,
  );
  const found = await readPositions(link, 't', ['run ']);
  assert.equal(
    [...found],
    [
      ['run a', 'committed'],
      ['run c', 'also committed'],
    ],
  );
  assert.equal(fetched, [0n, 2n, 3n, 4n, 5n, 6n, 7n]);
});

test('records outside a transaction count at once, and one without a value removes its key', async () => {
  const { link } = logOf(
    [
      batch(0, 0, -1, [
        ['run a', 'first'],
        ['run b', 'kept'],
        [null, 'without a key'],
      ]),
      batch(3, 0, -1, [
        ['run a', null],
        ['run never', null],
      ]),
    ],
    5,
  );
  assert.equal([...(await readPositions(link, 't', ['run ', 'more ']))], [['run b', 'kept']]);
});

test('an empty topic has no positions, and one whose records are missing is tried again', async () => {
  assert.is((await readPositions(logOf([], 0).link, 't', [''])).size, 0);
  const missing = await readPositions(logOf([], 3).link, 't', ['']).catch((thrown: unknown) => thrown);
  assert.match(String(missing), /nothing at 0 of 3/);
  assert.ok(isBroken(missing));
  const silent = linkOf(() => ({ topics: [], responses: [] }));
  assert.is((await readPositions(silent, 'unknown', [''])).size, 0);
});

test('a topic for positions must keep the last one of each key', async () => {
  const withPolicy = (policy: string | undefined) =>
    linkOf((name) => {
      assert.is(name, 'DescribeConfigs');
      const configs = policy === undefined ? [] : [{ name: 'cleanup.policy', value: policy }];
      return { results: [{ configs }] };
    });
  await preparePositions(withPolicy('compact'), 't', false, false);
  await preparePositions(withPolicy(undefined), 't', false, false);
  await rejection(
    () => preparePositions(withPolicy('delete'), 't', false, false),
    'ERR_SINK',
    /topic "t" for positions has the cleanup.policy "delete", which removes them: expected "compact"/,
  );
});

test('a trial asks whether the topic could be made, and makes none', async () => {
  const trials: unknown[] = [];
  const link = linkOf((name, _, ...parameters) => {
    if (name === 'Metadata') return { topics: [{ name: 'new', errorCode: 3, partitions: [] }] };
    if (name === 'DescribeConfigs') return { results: [] };
    trials.push([name, parameters[2]]);
    return undefined;
  });
  await preparePositions(link, 'new', true, true);
  assert.equal(trials, [['CreateTopics', true]]);
  await rejection(() => preparePositions(link, 'new', false, true), 'ERR_SINK', /name another one with `positions`/);
});

test.run();
