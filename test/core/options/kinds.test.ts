/** What each kind takes as text, from a document and from code. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromPlain } from '../../../src/core/json/exact.js';
import type { Kind } from '../../../src/core/options/kind.js';
import { bytes, decimal, duration, flag, nonEmptyText, text, whole, word } from '../../../src/core/options/kinds.js';
import { changedOf, listOf, objectOf } from '../../../src/core/options/object-kinds.js';
import { mismatchText, type OptionSource, valueBy } from '../../../src/core/options/read-options.js';

type Case = readonly [name: string, kind: Kind<unknown>, source: OptionSource, given: unknown, result: unknown];

/** A result that is an error is its message. */
const cases: readonly Case[] = [
  ['digits', whole(1, 64), 'text', '8', 8],
  ['a fraction', whole(1, 64), 'text', '8.0', new Error('expected a whole number from 1 to 64, found "8.0"')],
  ['a number beyond', whole(1, 64), 'text', '65', new Error('expected a whole number from 1 to 64, found "65"')],
  ['a long text', whole(1), 'text', 'x'.repeat(41), new Error('expected a whole number from 1 up, found a string')],
  ['a number', whole(1), 'document', 8, 8],
  ['digits', whole(1), 'document', '8.0', 8],
  ['a number', whole(1), 'code', 8, 8],
  ['digits', whole(1), 'code', '8', new Error('expected a whole number from 1 up, found a string')],
  ['a function', whole(1), 'code', () => {}, new Error('expected a whole number from 1 up, found a function')],
  [
    'a port',
    whole(1, 65_535, { name: 'a port' }),
    'text',
    '0',
    new Error('expected a port from 1 to 65535, found "0"'),
  ],
  ['true', flag, 'text', 'true', true],
  ['yes', flag, 'text', 'yes', new Error('expected true or false, found "yes"')],
  ['1', flag, 'code', 1, new Error('expected true or false, found a number')],
  ['a word', word('gzip', 'zstd'), 'text', 'zstd', 'zstd'],
  [
    'a typo',
    word('gzip', 'zstd'),
    'text',
    'gzp',
    new Error('expected gzip or zstd, found "gzp"; did you mean "gzip"?'),
  ],
  ['a word', word('a', 'b', 'c'), 'code', 'd', new Error('expected "a", "b" or "c", found a string')],
  ['nothing', nonEmptyText, 'text', '', new Error('expected a non-empty string, found ""')],
  ['a share', decimal(0, 0.9, 'a share from 0 to 0.9'), 'text', '.05', 0.05],
  ['a share', decimal(0, 0.9, 'a share from 0 to 0.9'), 'document', 0.05, 0.05],
  [
    'all',
    decimal(0, 0.9, 'a share from 0 to 0.9'),
    'text',
    '1',
    new Error('expected a share from 0 to 0.9, found "1"'),
  ],
  ['a size', bytes(), 'text', '64MiB', 64 * 2 ** 20],
  ['a size', bytes(), 'code', 1000, 1000],
  ['no size', bytes(), 'text', '0', new Error('expected a number of bytes, or one such as 500MB or 64MiB, found "0"')],
  ['a time', duration('s'), 'text', '90', 90_000],
  ['a time', duration('ms'), 'text', '90', 90],
  ['no time', duration('s'), 'text', 's', new Error('expected a time such as 90s, 10m or 1h30m, found "s"')],
  ['a list', listOf(whole(), 'whole numbers'), 'document', [1, '2'], [1, 2]],
  ['a list with a gap', listOf(whole(), 'whole numbers'), 'document', { 0: 1, 2: 3 }, [1, 3]],
  ['a list', listOf(whole(), 'whole numbers'), 'code', [1, 2], [1, 2]],
  ['an element', listOf(whole(), 'numbers'), 'code', ['x'], new Error('expected a whole number, found a string')],
  ['no members', objectOf({ a: { kind: whole(), default: 1, summary: '' } }), 'document', {}, { a: 1 }],
];

for (const [name, kind, source, given, result] of cases) {
  test(`${kind.struct.type}: ${name} in ${source}`, () => {
    const { value, mismatch } = valueBy(kind, source === 'document' ? fromPlain(given) : given, source);
    if (result instanceof Error) assert.is(mismatch && mismatchText(mismatch), result.message);
    else assert.equal(value, result);
  });
}

test('the options that differ from their defaults are the same text with a new option in the table', () => {
  const rows = { mark: { kind: flag, default: false, summary: 'a mark' }, word: { kind: text, summary: 'a word' } };
  const more = { ...rows, size: { kind: whole(1), default: 5, summary: 'a size' } };
  assert.is(changedOf(rows, { mark: false, word: 'a' }), '[["word","a"]]');
  assert.is(changedOf(more, { mark: false, word: 'a', size: 5 }), '[["word","a"]]');
  assert.is(changedOf(more, { mark: true, size: 6 }), '[["mark",true],["size",6]]');
});

test.run();
