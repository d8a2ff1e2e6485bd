/** Positions of dead letters: in the journal, in what a sink with transactions holds, and which of both is later. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../../sinks/contract.js';
import {
  createLetterPositions,
  positionBytes,
  positionTextsIn,
  storedKeeps,
} from '../../../sinks/decorators/letter-positions.js';
import { ExactNumber } from '../../../src/core/json/exact.js';
import { pageEnd } from '../lib.js';

const number = (value: number) => new ExactNumber(String(value));
const page = (dataType: string, more: object = {}) => pageEnd(dataType, { walk: 'w', page: 3, ...more });

test('a commit returns its number and the checkpoint', () => {
  const positions = createLetterPositions();
  assert.is(positions.addTo('keep', 'a'), 'keep');
  assert.equal(positions.commit(page('a'), number(10)), [number(1), number(10)]);
  assert.equal(positions.commit(page('a'), number(20)), [number(2), number(20)]);
  assert.equal(positions.commit(page('b'), null), [number(1), null]);
  assert.match(
    positions.addTo('keep', 'b'),
    /^keep\n\[\["b",.*\],\["a",\{"number":2,"checkpoint":"20","page":"w 3"\}\]\]$/,
  );
});

test('positions that do not fit are left out, that of the data type never', () => {
  const positions = createLetterPositions();
  for (const dataType of ['a', 'b', 'c']) positions.commit(page(dataType), 'x'.repeat(400));
  const kept = JSON.parse(positions.addTo('keep', 'b').slice('keep\n'.length));
  assert.equal(
    kept.map(([name]: [string]) => name),
    ['b', 'a'],
  );
  positions.commit(page('c'), 'y'.repeat(positionBytes));
  assert.match(positions.addTo('keep', 'c'), /^keep\n\[\["c",.{1000,}\]$/);
});

test('a run resumes at the later one of the journal and what is held', () => {
  const before = createLetterPositions();
  before.commit(page('a'), number(10));
  before.commit(page('a', { page: 4 }), number(20));
  before.commit(page('b'), number(5));
  const held = [before.addTo('keep', 'a'), 'a keep without positions'];
  const after = createLetterPositions();
  const journal = new Map([
    ['a', [number(1), number(10)]],
    ['b', [number(1), number(5)]],
    ['c', [number(7)]],
    ['d', null],
  ]);
  const found = after.resume(journal, held);
  assert.equal(
    [...found],
    [
      ['a', number(20)],
      ['b', number(5)],
      ['c', null],
      ['d', null],
    ],
  );
  assert.equal([after.has(page('a', { page: 4 })), after.has(page('a')), after.has(page('b'))], [true, false, false]);
  const alone = createLetterPositions();
  assert.equal([...alone.resume(new Map(), held).keys()], ['a', 'b']);
  assert.equal([...alone.resume(new Map(), [])], []);
  assert.not(alone.has(page('a', { page: 4 })));
});

test('what a sink holds is read with positions, and without them for the engine', async () => {
  const sink: Sink = {
    ...{ recovery: 'transaction', write() {}, close() {}, abort() {} },
    positions: async () =>
      new Map([
        ['lane', 'keep\n[]'],
        ['other', 'plain'],
      ]),
  };
  assert.equal(await positionTextsIn(sink), ['keep\n[]', 'plain']);
  assert.equal(
    [...(await storedKeeps(sink))],
    [
      ['lane', 'keep'],
      ['other', 'plain'],
    ],
  );
  const { positions: _, ...without } = sink;
  assert.equal([await positionTextsIn(without), (await storedKeeps(without)).size], [[], 0]);
  assert.equal(await positionTextsIn({ ...sink, recovery: 'ids' }), []);
});

test.run();
