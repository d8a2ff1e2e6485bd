import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Exact, fromPlain } from '../../src/core/json/exact.js';
import type { Page } from '../../src/core/model/page.js';
import { valueBy } from '../../src/core/options/read-options.js';
import { forceStop } from '../../src/pagination/force-stop.js';
import { limitStop } from '../../src/pagination/limit-stop.js';
import { multiple } from '../../src/pagination/multiple.js';
import { nextPageFlag } from '../../src/pagination/next-page-flag.js';
import { onePage } from '../../src/pagination/none.js';
import { pagenum } from '../../src/pagination/pagenum.js';
import { responseParam } from '../../src/pagination/response-param.js';
import { type StopRule, withStops } from '../../src/pagination/stop-rule.js';
import { type Given, job, made, number, page, thrownBy, walk } from './walk.js';

const pages = made(pagenum);

/** Why a walk of these pages ends, and after how many. */
function ending(rules: readonly StopRule[], ...given: readonly Given[]): readonly [number, string | undefined] {
  const { requests, stop } = walk(withStops(pages, rules), job(), given);
  return [requests.length, stop?.stop];
}

test('a number of items ends a job; those of the last page beyond it are kept', () => {
  const rules = [made(limitStop, { count: 3 })];
  assert.equal(ending(rules, { count: 2 }, { count: 2 }), [2, 'limitStop: 4 items of 3']);
  assert.equal(ending(rules, { count: 3 }), [1, 'limitStop: 3 items of 3']);
  assert.equal(ending(rules, { count: 2 }), [2, undefined]);
});

const limits: readonly (readonly [limit: Exact | undefined, items: number, ends: boolean])[] = [
  [number('3'), 2, false],
  [number('3'), 3, true],
  ['3', 2, false],
  ['3', 3, true],
  [number('2.9'), 2, true],
  [number('9007199254740993000'), 100, false],
  ['many', 1, true],
  [null, 1, true],
  [undefined, 1, true],
  [[number('5')], 1, true],
];

for (const [limit, count, ends] of limits) {
  test(`${count} items of ${limit === undefined ? 'nothing' : JSON.stringify(limit)} ${ends ? 'end' : 'do not end'} a job`, () => {
    const paging = new Map(limit === undefined ? [] : [['total', limit] as const]);
    const response = new Map([['paging', paging]]);
    const rules = [made(limitStop, { field: 'paging.total' })];
    assert.is(ending(rules, { count, response })[0], ends ? 1 : 2);
  });
}

for (const [options, found] of [
  [{}, 'neither'],
  [{ count: 0 }, 'neither'],
  [{ count: 1, field: 'x' }, 'both'],
] as const) {
  test(`a limitStop of ${JSON.stringify(options)} is refused`, () => {
    const error = thrownBy(() => made(limitStop, options));
    assert.is(error.code, 'ERR_CONFIG');
    assert.is(error.message, `expected one of "count" (1 or more) and "field", found ${found}`);
  });
}

test('a number of pages ends a job', () => {
  const rules = [made(forceStop, { pages: 2 })];
  assert.equal(ending(rules, { count: 1 }, { count: 1 }), [2, 'forceStop: 2 pages']);
});

test('so much time since the first request ends a job', () => {
  const at = (takenAt: number): Given => ({ count: 1, more: { startedAt: 1000, takenAt } });
  const rules = [made(forceStop, { time: 5 })];
  assert.equal(ending(rules, at(5999), at(6000)), [2, 'forceStop: 5 seconds have passed']);
});

test('a volume ends a job once there is more', () => {
  const of = (volume: number): Given => ({ count: 1, more: { volume } });
  const rules = [made(forceStop, { volume: 69 })];
  assert.is(withStops(pages, rules).volume, true);
  assert.equal(ending(rules, of(69), of(138)), [2, 'forceStop: 138 bytes, more than 69']);
});

test('a limit of 0 counts as absent', () => {
  const rule = made(forceStop, { pages: 0, time: 0, volume: 0 });
  assert.is(rule.volume, undefined);
  assert.equal(ending([rule], { count: 1, more: { takenAt: 1e9, volume: 1e9 } }), [2, undefined]);
});

test('pages win over time, time over volume', () => {
  const late: Given = { count: 1, more: { takenAt: 9000, volume: 9 } };
  const reason = (options: object) => ending([made(forceStop, options)], late)[1];
  assert.match(reason({ pages: 1, time: 1, volume: 1 }) ?? '', 'pages');
  assert.match(reason({ time: 1, volume: 1 }) ?? '', 'seconds');
});

const times: readonly (readonly [written: unknown, seconds: number | undefined])[] = [
  [number('90'), 90],
  ['90', 90],
  ['1 hour', 3600],
  ['90 seconds', 90],
  ['+2 days', 172_800],
  ['1 week', 604_800],
  ['in two hours', 7200],
  ['1 month', 31 * 86_400],
  ['-1 hour', undefined],
  ['soon', undefined],
  ['2024-01-01', undefined],
  ['next week', undefined],
  ['UTC', undefined],
  ['', undefined],
  [number('1.5'), undefined],
  [number('-5'), undefined],
  [true, undefined],
];

for (const [written, seconds] of times) {
  test(`a time of ${String(written) || 'nothing'} is ${seconds ?? 'rejected'}`, () => {
    assert.is(valueBy(forceStop.fields.time.kind, written, 'document').value, seconds);
  });
}

type FlagCase = readonly [flag: unknown, isTrue: boolean];

const flags: readonly FlagCase[] = [
  [false, false],
  [0, false],
  [number('0.0'), false],
  [number('-0'), false],
  ['', false],
  ['0', false],
  [[], false],
  [true, true],
  [1, true],
  [number('0.1'), true],
  ['no', true],
  ['false', true],
  [' ', true],
  [[0], true],
  [[null], true],
  [{}, true],
  [{ 0: 1 }, true],
];

for (const [flag, isTrue] of flags) {
  test(`the flag ${JSON.stringify(flag)} is ${isTrue}`, () => {
    for (const stopOn of [true, false]) {
      const rules = [made(nextPageFlag, { field: 'more.than', stopOn })];
      const [asked, reason] = ending(rules, { count: 1, response: fromPlain({ 'more.than': flag }) });
      assert.equal([asked, reason], isTrue === stopOn ? [1, `nextPageFlag: "more.than" is ${isTrue}`] : [2, undefined]);
    }
  });
}

test('the reason names a missing flag', () => {
  const rules = [made(nextPageFlag, { field: 'more', stopOn: false })];
  assert.is(ending(rules, { count: 1, response: fromPlain({}) })[1], 'nextPageFlag: "more" is absent');
});

test('a flag that is not there, or null, counts as `ifNotSet`, and without that ends the job', () => {
  for (const response of [fromPlain({}), fromPlain({ more: null }), fromPlain([1])]) {
    for (const stopOn of [true, false]) {
      const asked = (ifNotSet: object) =>
        ending([made(nextPageFlag, { field: 'more', stopOn, ...ifNotSet })], { count: 1, response })[0];
      assert.equal([asked({}), asked({ ifNotSet: stopOn }), asked({ ifNotSet: !stopOn })], [1, 1, 2]);
    }
  }
});

test('a flag is no path', () => {
  const rules = [made(nextPageFlag, { field: 'a.b', stopOn: true, ifNotSet: false })];
  assert.is(ending(rules, { count: 1, response: fromPlain({ a: { b: true } }) })[0], 2);
});

test('rules apply in their order, and before the method; its end stays', () => {
  const rules = [made(limitStop, { count: 1 }), made(forceStop, { pages: 1 })];
  assert.match(ending(rules, { count: 1 })[1] ?? '', 'limitStop');
  assert.match(ending(rules, { count: 0 })[1] ?? '', 'forceStop');
  assert.is(ending([made(limitStop, { count: 9 })], { count: 0 })[1], 'an empty page');
});

test('the captures of method and rules are made once, and not mixed up', () => {
  const method = made(responseParam, { responseParam: 'a.b', queryParam: 'q' });
  const rules = [made(nextPageFlag, { field: 'a.b', stopOn: true }), made(limitStop, { field: 'a.b' })];
  const { captures } = withStops(method, rules);
  assert.equal(
    captures.map(({ segments, shallow = false }) => [segments, shallow]),
    [
      [['a', 'b'], false],
      [['a.b'], true],
      [['a.b', '0'], true],
      [['a', 'b'], true],
    ],
  );
  assert.is(new Set(captures.map(({ text }) => text)).size, 4);
});

test('rules beside a choice hold for each of its scrollers, those within for their own alone', () => {
  const chosen = new Map([
    ['a', withStops(pages, [made(forceStop, { pages: 5 })])],
    ['b', pages],
  ]);
  const scrollers = new Map([...chosen.keys()].map((name) => [name, new Map()]));
  const needs = { make: (_: unknown, ...steps: readonly unknown[]) => chosen.get(String(steps[1])), problem: () => {} };
  const choice = withStops(multiple.create({ scrollers, default: '' }, needs), [made(limitStop, { count: 7 })]);
  const end = (name: string, more: Partial<Page>) => {
    const scroller = choice.named?.get(name) ?? onePage;
    return scroller.next(job(), page(scroller, scroller.first(job()), more.index ?? 0, 1, null, more));
  };
  assert.equal(end('a', { items: 7 }), { stop: 'limitStop: 7 items of 7', by: 'limit stop', isWanted: true });
  assert.equal(end('b', { items: 7 }), { stop: 'limitStop: 7 items of 7', by: 'limit stop', isWanted: true });
  assert.equal(end('a', { index: 4 }), { stop: 'forceStop: 5 pages', by: 'force stop', isWanted: true });
  assert.not.equal(end('b', { index: 4 }), { stop: 'forceStop: 5 pages', by: 'force stop', isWanted: true });
});

test('without a rule a paginator is unchanged', () => {
  assert.is(withStops(onePage, []), onePage);
});

test.run();
