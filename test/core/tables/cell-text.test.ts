import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { cellText, quotedCell, serialized, serializedList } from '../../../src/core/tables/cell-text.js';

const cells: readonly (readonly [json: string, cell: string, hashed: string])[] = [
  ['true', '1', 'b:1;'],
  ['false', '', 'b:0;'],
  ['null', '', 'N;'],
  ['"a"', 'a', 's:1:"a";'],
  ['"ä"', 'ä', 's:2:"ä";'],
  ['9223372036854775807', '9223372036854775807', 'i:9223372036854775807;'],
  ['12345678901234567890', '1.2345678901235E+19', 'd:1.2345678901234567E+19;'],
  ['1.0', '1', 'd:1;'],
  ['1e3', '1000', 'd:1000;'],
  ['0.1', '0.1', 'd:0.10000000000000001;'],
  ['3.14159265358979323846', '3.1415926535898', 'd:3.1415926535897931;'],
  ['0.00001', '1.0E-5', 'd:1.0000000000000001E-5;'],
  ['1e14', '1.0E+14', 'd:100000000000000;'],
  ['1e25', '1.0E+25', 'd:1.0000000000000001E+25;'],
  ['-0.0', '-0', 'd:-0;'],
  ['-0', '0', 'i:0;'],
  ['[1,"/ä"]', '[1,"\\/\\u00e4"]', 'a:2:{i:0;i:1;i:1;s:3:"/ä";}'],
  ['{"1":{}}', '{"1":{}}', 'O:8:"stdClass":1:{s:1:"1";O:8:"stdClass":0:{}}'],
];

for (const [json, cell, hashed] of cells) {
  test(`${json} is the cell ${cell}, and is hashed as ${hashed}`, () => {
    assert.is(cellText(parseExact(json)), cell);
    assert.is(serialized(parseExact(json)), hashed);
  });
}

test('columns that a job adds are hashed as a list with names', () => {
  assert.is(serializedList(new Map([['tag', 'x']])), 'a:1:{s:3:"tag";s:1:"x";}');
});

test('quotes in cells are doubled', () => assert.is(quotedCell('say "x"\n'), '"say ""x""\n"'));

test.run();
