/** Where a run stands: what the records of pages add up to, walk by walk. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keepIn, keepText } from '../../src/checkpoint/lane-marks.js';
import { createPosition, type Position } from '../../src/checkpoint/position.js';
import type { PageRecord, RowPlace } from '../../src/checkpoint/records.js';
import type { WalkPosition } from '../../src/checkpoint/walk-positions.js';

const known = { run: 'r', epoch: 1, sinks: ['cut'], startedAt: 0, marks: {} } as const;
const begin = { type: 'begin', format: 4, version: '0.0.0', ...known } as const;

/** A page of job 0, or of a walk below it. */
const page = (print: string, ...at: readonly RowPlace[]): PageRecord => ({
  ...{ type: 'page', job: 0, at, begun: 0, time: 0, page: 0, print },
  took: { job: at.length, requests: 1, retries: 0, count: 1, bytes: 1, delivered: true },
  next: { index: 1, request: '[]', chain: [], startedAt: 0, items: 1, volume: 0 },
});

function positionAfter(...pages: readonly PageRecord[]): Position {
  const position = createPosition(begin);
  pages.forEach(position.apply);
  return position;
}

/** The fingerprints of each walk, from the job down, behind the place of its row. */
function stackOf(position: Position): readonly (readonly [string, ...bigint[]])[] {
  const below = (place: string, walk: WalkPosition | undefined): readonly (readonly [string, ...bigint[]])[] =>
    walk === undefined ? [] : [[place, ...walk.prints.all()], ...below(String(walk.child?.at), walk.child?.walk)];
  const walk = position.walkOf(0);
  return walk === 'done' ? [] : below('job', walk);
}

test('what a sink stores with a page has its proof, and a position that moves there has it too', () => {
  const first = page('a');
  const proof = { walk: '0', sha256: 'x' };
  const certified = { ...first, took: { ...first.took, proof } };
  const progress = createPosition(begin).laneAfter(certified);
  const moved = createPosition(begin);
  if (progress === undefined) throw new Error('there is no progress');
  moved.moveLane(0, { m: 1, print: 'a' }, progress);
  assert.equal(moved.proofs(), [[0, 0, 0, 1, 1, proof]]);
  assert.equal(moved.snapshot().proofs, moved.proofs());
  const restored = createPosition(begin);
  restored.apply(moved.snapshot());
  assert.equal(restored.proofs(), moved.proofs());
});

test('a child of the same row goes on with what it has seen', () => {
  const stack = stackOf(positionAfter(page('a'), page('b', [0, 0, 0, 0]), page('c', [0, 0, 0, 0])));
  assert.equal(stack, [
    ['job', 10n],
    ['0,0,0,0', 11n, 12n],
  ]);
});

for (const next of [
  [0, 0, 0, 1],
  [0, 0, 1, 0],
  [0, 1, 0, 0],
  [1, 0, 0, 0],
] as const) {
  test(`the child at ${next} has seen nothing of the one before it`, () => {
    const grandchild = page('c', [0, 0, 0, 0], [0, 0, 0, 0]);
    const position = positionAfter(page('a'), page('b', [0, 0, 0, 0]), grandchild, page('d', next));
    assert.equal(stackOf(position), [
      ['job', 10n],
      [String(next), 13n],
    ]);
  });
}

test('a page of the job is the end of what lay below it', () => {
  assert.equal(stackOf(positionAfter(page('a'), page('b', [0, 0, 0, 0]), page('c'))), [['job', 10n, 12n]]);
});

/** A page whose request failed and was left out. */
const leftOut = (number: number): PageRecord => {
  const { took } = page('a');
  const skipped = { code: 'ERR_STATUS', status: 404, page: 0, request: `GET http://api.example/d/${number}` } as const;
  return { ...page('a', [0, 0, number, 0]), took: { ...took, count: 0, skipped } };
};

test('what a sink stores with a page is short, however many requests have failed before it', () => {
  const position = createPosition(begin);
  let [most, bare] = [0, 0];
  for (let number = 0; number < 20_000; number += 1) {
    position.apply(leftOut(number));
    const after = page('b', [0, 0, number, 1]);
    const keep = keepText(number + 1, after, () => position.laneAfter(after));
    most = Math.max(most, position.laneAfter(after)?.failures?.length ?? 0);
    if (keepIn(keep)?.progress === undefined) bare += 1;
  }
  assert.ok(most > 400 && most < 1000, `${most} failures in a position`);
  assert.ok(bare > 19_000, 'the others are known by their number');
  assert.is(position.failures().length, 10_000);
  const again = createPosition(begin);
  again.apply(position.snapshot());
  assert.equal(again.failures(), position.failures());
  again.resetLane(0);
  again.apply(leftOut(7));
  assert.is(again.failures().length, 1, 'a lane that begins again has none');
});

test('and however many parents have a value of their own', () => {
  const position = createPosition(begin);
  let most = 0;
  for (let number = 0; number < 5000; number += 1) {
    const reached = { by: JSON.stringify([number]), recent: [], known: 0, late: 0, beyond: 0 };
    const record = { ...page('a', [0, 0, number, 0]), reached };
    most = Math.max(most, position.laneAfter(record)?.reached?.length ?? 0);
    position.apply(record);
  }
  assert.ok(most > 400 && most < 2000, `${most} parents in a position`);
  assert.is(position.reached().length, 5000);
});

test.run();
