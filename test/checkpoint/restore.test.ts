/** Where a run begins: in what order output and store are brought there, and what keeps it from beginning. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../sinks/contract.js';
import { createPosition } from '../../src/checkpoint/position.js';
import { restorePosition } from '../../src/checkpoint/restore.js';
import { createSecretReferences } from '../../src/checkpoint/secret-refs.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { rejection } from '../sinks/lib.js';
import { memoryStore } from './memory-store.js';

const known = { run: 'r', epoch: 1, sinks: ['cut'], startedAt: 0, marks: {} } as const;
const begin = { type: 'begin', format: 4, version: '0.0.0', ...known } as const;
const noTook = { job: 0, requests: 1, retries: 0, count: 0, bytes: 0, delivered: true };
const rows = { part: 'part-1', count: 1, lengths: [3], crc: 891568578 }; // of `abc`

/** A position behind so many pages, the last of which has rows. */
function positionBehind(pages: number) {
  const position = createPosition(begin);
  for (let page = 1; page <= pages; page += 1) {
    position.apply({ type: 'page', job: 0, at: [], begun: 0, time: 0, page, print: String(page), took: noTook, rows });
  }
  return position;
}

/** Begins where one of these positions holds, with a store that has these parts; says what was called. */
async function begun(
  pages: readonly number[],
  parts: Readonly<Record<string, string>>,
  replaced: Partial<Sink> = {},
  mustBeHeld: () => void = () => {},
) {
  const called: string[] = [];
  const held = { records: [], parts: new Map(Object.entries(parts).map(([name, text]) => [name, Buffer.from(text)])) };
  const memory = memoryStore(held);
  const opened = await memory.open();
  const store = {
    ...opened,
    replace: async (records: readonly string[]) => {
      called.push('replace');
      mustBeHeld();
      await opened.replace(records);
    },
  };
  const sink: Sink = {
    recovery: 'cut',
    write() {},
    close() {},
    abort() {},
    resume: () => void called.push('resume'),
    durable: async () => void called.push('durable'),
    ...replaced,
  };
  const checkpoint = { store, earlier: pages.map(positionBehind), replaces: false, replacedRuns: [] };
  const references = createSecretReferences(createSecrets(), []);
  const names = { jobNames: [], laneNames: [], sendsAgain: false, weakened: new Set<number>() };
  const needs = {
    checkpoint,
    begin: { run: 'r', startedAt: 0, marks: {} },
    sinks: [sink],
    notify: () => {},
    outputNames: [],
    ...names,
  };
  const beginning = restorePosition(needs, { store, references });
  return { beginning, called, parts: () => [...memory.held.parts.keys()] };
}

test('the epoch is on the disk before the sink is called, and the output before the store says where it stands', async () => {
  const { beginning, called } = await begun([1], { 'part-1': 'abc' });
  await beginning;
  assert.equal(called, ['replace', 'resume', 'durable', 'replace']);
});

test('a process that lost its store while its sinks were resumed does not begin', async () => {
  const { beginning, called } = await begun([], {});
  await beginning;
  assert.equal(called, ['replace', 'resume', 'replace']);
  let isLost = false;
  const resume = () => {
    isLost = true;
  };
  const lost = await begun([], {}, { resume }, () => {
    if (isLost) throw new ExtractError('ERR_STATE', 'another run took over');
  });
  await rejection(lost.beginning, 'ERR_STATE', /another run took over/);
});

test('parts that no one needs go, afresh all of them', async () => {
  const parts = { 'part-1': 'abc', 'part-2': 'left behind' };
  const going = await begun([1], parts);
  await going.beginning;
  assert.equal(going.parts(), ['part-1']);
  const afresh = await begun([], parts);
  await afresh.beginning;
  assert.equal(afresh.parts(), []);
});

const others: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'are missing': {},
  'were changed': { 'part-1': 'abd' },
  'were cut': { 'part-1': 'ab' },
};

for (const [what, parts] of Object.entries(others)) {
  test(`where rows ${what} the sink is not touched`, async () => {
    const { beginning, called } = await begun([1], parts);
    await rejection(beginning, 'ERR_RESUME', /"part-1" of the state is missing or was modified/);
    assert.equal(called, []);
  });
}

const failing = (code: 'ERR_RESUME' | 'ERR_SINK') => {
  const asked: string[] = [];
  const resume = () => {
    asked.push(code);
    throw new ExtractError(code, `refused ${asked.length}`);
  };
  return { asked, resume };
};

test('where the output is not what it was, the position that was saved before is tried, and the last one says why', async () => {
  const { asked, resume } = failing('ERR_RESUME');
  const { beginning, called } = await begun([2, 1], { 'part-1': 'abc' }, { resume });
  await rejection(beginning, 'ERR_RESUME', /refused 1/);
  assert.equal([asked.length, called], [2, ['replace', 'replace']], 'the epoch was raised, and put back');
});

test('any other failure of the output ends it there', async () => {
  const { asked, resume } = failing('ERR_SINK');
  const { beginning } = await begun([2, 1], { 'part-1': 'abc' }, { resume });
  await rejection(beginning, 'ERR_SINK', /refused 1/);
  assert.is(asked.length, 1);
});

test.run();
