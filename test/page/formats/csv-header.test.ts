import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { guessedFormat, type ResponseFormat } from '../../../src/core/model/response-format.js';
import { columnsOf } from '../../../src/page/formats/csv-header.js';

/** The names of columns, and warnings, of a page after one with the header `before`. */
function read(cells: readonly string[], given: Partial<ResponseFormat> = {}, before?: readonly string[]) {
  const warnings: string[] = [];
  const memory = before === undefined ? {} : { header: before };
  const options = { ...guessedFormat, ...given };
  const { names } = columnsOf(cells, 1, {
    options,
    memory,
    warn: (code, message) => void warnings.push(`${code}: ${message}`),
  });
  return { names, warnings };
}

const refused: readonly (readonly [cells: readonly string[], given: Partial<ResponseFormat>, says: string])[] = [
  [['id', 'id'], {}, 'the name "id" twice (cells 1 and 2)'],
  [['id;name'], {}, 'no comma, but ";"'],
  [['id'], { names: ['a', 'b'] }, '1 cell, and `response.names` 2 names'],
  [['id', 'name'], { names: ['a'] }, '2 cells, and `response.names` 1 names'],
  [['x'.repeat(50), 'x'.repeat(50)], {}, `the name "${'x'.repeat(40)}..." twice`],
];

for (const [cells, given, says] of refused) {
  test(`a header is refused: ${says}`, () =>
    assert.throws(
      () => read(cells, given),
      (thrown: unknown) => thrown instanceof ExtractError && thrown.code === 'ERR_CSV' && thrown.message.includes(says),
    ));
}

const changes: readonly (readonly [now: string, before: string, says: string | undefined])[] = [
  ['a b', 'a b', undefined],
  ['b a', 'a b', undefined],
  ['a c', 'a b', 'without "b", with the new "c"'],
  ['a', 'a b', 'without "b"'],
  ['a b', 'a', 'with the new "b"'],
  ['a 1 2 3 4 5', 'a', 'with the new "1", "2", "3" and 2 more'],
];

for (const [now, before, says] of changes) {
  test(`the header ${now} after ${before} is ${says === undefined ? 'no change' : 'a warning'}`, () => {
    const { warnings } = read(now.split(' '), {}, before.split(' '));
    const expected = `changed-header: the header differs from that of the page before it: ${says}`;
    assert.equal(warnings, says === undefined ? [] : [expected]);
  });
}

test('a page with none of the names before it has no header', () =>
  assert.throws(
    () => read(['1', '2'], {}, ['a', 'b']),
    (thrown: unknown) => thrown instanceof ExtractError && thrown.message.includes('none of the names'),
  ));

test('without a header the cells have numbers', () =>
  assert.equal(read(['x', 'y'], { header: false }).names, ['column_1', 'column_2']));

test.run();
