import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../../src/core/errors/errors.js';
import { type Exact, ExactNumber } from '../../../../src/core/json/exact.js';
import { sprintf } from '../../../../src/language/expression/functions/sprintf.js';

const exact = (value: unknown): Exact =>
  typeof value === 'number' ? new ExactNumber(String(value)) : (value as Exact); // the rows below hold JSON
const format = (...args: readonly unknown[]) => sprintf.apply(args.map(exact), { now: () => 0 });

/** As PHP 7.4 writes them. */
const cases = [
  ["%'.05d", [3], '00003'],
  ["%'.5d", [3], '....3'],
  ['http://%s/users/', ['api:80'], 'http://api:80/users/'],
  ['plain', [], 'plain'],
  ['', [], ''],
  ['100%%', [], '100%'],
  ['%5%|', [], '%|'],
  ['%s and %s', ['a', 'b', 'c'], 'a and b'],
  ['%2$s %1$s %2$s', ['a', 'b'], 'b a b'],
  ['%1$s %s', ['a'], 'a a'],
  ["%1$'x-5s|", ['a'], 'axxxx|'],
  // texts
  ['%s', [true], '1'],
  ['%s', [false], ''],
  ['%s', [null], ''],
  ['%s', [1.5], '1.5'],
  ['%5s|', ['ab'], '   ab|'],
  ['%-5s|', ['ab'], 'ab   |'],
  ["%'*10s", ['ab'], '********ab'],
  ["%'é3s", ['x'], 'ééx'],
  ['%05s', ['-12'], '00-12'],
  ['%-05s|', ['a'], 'a0000|'],
  ['%.2s', ['abc'], 'ab'],
  ['%5.2s|', ['abc'], '   ab|'],
  ['%4s|', ['é'], '  é|'],
  ['%.2s|', ['aé'], 'a|'],
  ['%.3s|', ['aé'], 'aé|'],
  // whole numbers
  ['%d', [12], '12'],
  ['%ld', [12], '12'],
  ['%d', [1.9], '1'],
  ['%d', [-1.9], '-1'],
  ['%d', ['12abc'], '12'],
  ['%d', ['abc'], '0'],
  ['%d', [' 7'], '7'],
  ['%d', ['1e3'], '1000'],
  ['%d', [true], '1'],
  ['%d', [null], '0'],
  ['%d', ['-0'], '0'],
  ['%d', [new ExactNumber('12345678901234567890')], '12345678901234567890'],
  ['%+d', [5], '+5'],
  ['%+d', [0], '+0'],
  ['%+d', [-5], '-5'],
  ['%05d', [-12], '-0012'],
  ['%+05d', [12], '+0012'],
  ["%+'x8d", [5], 'xxxxxx+5'],
  ['%-05d|', [12], '12   |'],
  ['% 5d', [5], '    5'],
  ['%.3d', [5], '5'],
  ['%u', [3], '3'],
  ['%u', [-1], '18446744073709551615'],
  ['%x', [255], 'ff'],
  ['%X', [3735928559], 'DEADBEEF'],
  ['%x', [-255], 'ffffffffffffff01'],
  ['%o', [8], '10'],
  ['%b', [5], '101'],
  ['%5.1x|', [255], '     |'],
  ['%.0b|', [5], '|'],
  ['%.o', [8], '10'],
  ['%-05x|', [5], '50000|'],
  ['%c%c', [72, 105], 'Hi'],
  ['%5c', [65], 'A'],
  // doubles
  ['%f', [1.5], '1.500000'],
  ['%F', [-1.5], '-1.500000'],
  ['%.2f', [1.005], '1.00'],
  ['%.2f', ['10.235'], '10.23'],
  ['%.1f', [0.25], '0.2'],
  ['%.1f', [0.35], '0.3'],
  ['%.0f', [0.5], '0'],
  ['%.0f', [1.5], '2'],
  ['%.0f', [2.5], '2'],
  ['%.0f', [-0.4], '-0'],
  ['%.3f', [2.0005], '2.001'],
  ['%.f', [3.7], '3.700000'],
  ['%f', [new ExactNumber('1e21')], '1000000000000000000000.000000'],
  ['%.20f', [0.1], '0.10000000000000000555'],
  ['%.60f', [1], `1.${'0'.repeat(53)}`],
  ['%.2f', [5e-324], '0.00'],
  ['%05.1f', [-3.16], '-03.2'],
  ['%-05.1f|', [1.5], '1.500|'],
  ['%+.1f', [3.14], '+3.1'],
  ['%e', [12345.678], '1.234568e+4'],
  ['%E', [0.000123], '1.230000E-4'],
  ['%e', [0], '0.000000e+0'],
  ['%.0e', [1234], '1e+3'],
  ['%1.1e', [9.99], '1.0e+1'],
  ['%e', [1e100], '1.000000e+100'],
  ['%g', [100000], '100000'],
  ['%g', [1234567], '1.23457e+6'],
  ['%g', [999999.5], '1.0e+6'],
  ['%g', [0.0001], '0.0001'],
  ['%g', [0.00001234], '1.234e-5'],
  ['%g', [1.25], '1.25'],
  ['%g', [0], '0'],
  ['%G', [new ExactNumber('1e25')], '1.0E+25'],
  ['%.0g', [123], '1.0e+2'],
  ['%.3g', [1234.5], '1.23e+3'],
  ['%010g|', [-1.5], '-0000001.5|'],
] as const;

for (const [text, values, expected] of cases) {
  test(`${JSON.stringify(text)} with ${values.map(String).join(', ') || 'nothing'} is ${JSON.stringify(expected)}`, () => {
    assert.is(format(text, ...values), expected);
  });
}

const faults = [
  ['%s %s', ['a'], 'the format requires 2 values or more; found 1'],
  ['%3$s', ['a', 'b'], 'the format requires 3 values or more; found 2'],
  ['%0$s', ['a'], 'the format requires value 0, and they count from 1; found 1'],
  ['%z', ['a'], /^unknown directive in the format: expected one of b, c, d, .*, X or %$/],
  ['90%', ['a'], /^unknown directive in the format/],
  ['%5', ['a'], /^unknown directive in the format/],
  ['%c', [128], 'expected the code of an ASCII character, from 0 to 127'],
  ['%c', [-1], 'expected the code of an ASCII character, from 0 to 127'],
  ['%f', ['1e400'], 'a number is too large'],
  ['%d', ['1e400'], 'a number is too large'],
  ['%s', [['a']], 'expected a string, found a list'],
  ['%d', [new Map()], 'expected a string, found an object'],
] as const;

for (const [text, values, message] of faults) {
  test(`${JSON.stringify(text)} with ${values.map(String).join(', ')} is refused`, () => {
    assert.throws(
      () => format(text, ...values),
      (error: unknown) =>
        error instanceof ExtractError &&
        error.code === 'ERR_FUNCTION' &&
        (typeof message === 'string' ? error.message === message : message.test(error.message)),
    );
  });
}

test('a width has a bound, so that a slip does not fill the memory', () => {
  assert.is(String(format('%999999999s', 'a')).length, 10_000);
});

test.run();
