/** What is stored of a page gives the page back when it has not changed. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ExactObject, fromPlain, isObject } from '../../../src/core/json/exact.js';
import type { PageResult } from '../../../src/page/page-result.js';
import { countIn, knownPage, unchangedPage, validatedPage } from '../../../src/run/walk/unchanged-page.js';

const key = '00ff00ff00ff00ffaa';

/** A page that was read; `part` replaces members. */
function pageOf(part: Partial<PageResult> = {}): PageResult {
  const read: Partial<PageResult> = {
    found: 'list',
    received: 3,
    cut: 0,
    volume: 120,
    repeated: false,
    isFailed: false,
    verdict: undefined,
    followed: undefined,
    memo: undefined,
    envelope: new Map([
      ['next', { value: 'token', beside: [] }],
      ['more', { value: undefined, beside: [] }],
    ]),
    headers: new Map([['link', ['<a>', '<b>']]]),
    address: 'https://api.example.com/items',
    revalidated: { key, validators: { etag: '"1"' } },
    ...part,
  };
  return read as PageResult; // all that is read of it
}

const exact = (value: Record<string, unknown>): ExactObject => {
  const made = fromPlain(value);
  return isObject(made) ? made : new Map();
};

/** The page that a server then says has not changed. */
function again(page: PageResult): PageResult | undefined {
  const stored = validatedPage(page, 3);
  return unchangedPage({ revalidated: { key, validators: {}, ...(stored && { facts: stored.facts }) } });
}

test('a page comes back as it was, without its items', () => {
  for (const found of ['list', 'object', 'scalar'] as const) {
    const page = pageOf({ found, memo: 'folded' });
    const back = again(page);
    const { received, volume, memo, headers, address } = page;
    assert.equal(
      [back?.found, back?.received, back?.volume, back?.memo, back?.headers, back?.address, back?.count, back?.bytes],
      [found, received, volume, memo, headers, address, 0, 0],
    );
    assert.equal([...(back?.envelope ?? [])], [['next', { value: 'token', beside: [] }]]);
    assert.equal(back?.chain, [0x00ff00ff00ff00ffn]);
  }
});

test('the count of its items is stored, those of an earlier run included', () => {
  const stored = validatedPage(pageOf(), 7);
  assert.is(countIn(stored?.facts), 7);
  assert.is(countIn(undefined), 0);
});

test('a page that may not have reached the sink whole is requested whole again', () => {
  const reached = { reached: { beyond: 1 } } as PageResult['followed']; // the member that is read
  const cases: readonly (readonly [name: string, part: Partial<PageResult>])[] = [
    ['no validators', { revalidated: undefined }],
    ['repeated', { repeated: true }],
    ['failed', { isFailed: true }],
    ['ruled', { verdict: {} as PageResult['verdict'] }],
    ['cut', { cut: 1 }],
    ['no items at their place', { found: 'none' as PageResult['found'] }],
    ['items that a later run asks for again', { followed: reached }],
  ];
  for (const [name, part] of cases) assert.is(validatedPage(pageOf(part), 3), undefined, name);
});

test('a page that has not changed keeps what is stored of it', () => {
  const facts = exact({ etag: '"1"', count: 2 });
  assert.is(validatedPage(pageOf({ revalidated: { key, validators: {}, facts } }), 0)?.facts, facts);
});

test('validators are texts; without one the page is requested whole', () => {
  assert.equal(knownPage(exact({ etag: '"1"' }))?.validators, { etag: '"1"' });
  assert.equal(knownPage(exact({ lastModified: 'Fri, 27 Nov 2026 10:00:00 GMT' }))?.validators, {
    lastModified: 'Fri, 27 Nov 2026 10:00:00 GMT',
  });
  assert.is(knownPage(exact({ etag: 1, lastModified: null })), undefined);
});

test('facts of another form are those of an empty page', () => {
  const back = unchangedPage({
    revalidated: { key, validators: {}, facts: exact({ headers: { link: 1 }, found: 'x' }) },
  });
  assert.equal(
    [back?.found, back?.received, back?.volume, back?.address, back?.envelope.size, back?.headers.get('link')],
    ['list', 0, 0, '', 0, []],
  );
  assert.is(unchangedPage({}), undefined);
});

test.run();
