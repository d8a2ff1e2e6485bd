import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { type Exact, fromPlain, isNumber } from '../../../src/core/json/exact.js';
import { type ExpressionContext, evaluate } from '../../../src/language/expression/expression.js';

/** 2024-02-29 10:30:15.750, in a place where all functions can be called. */
const context: ExpressionContext = {
  references: new Map([['attr', (key: string) => ({ value: `value of ${key}`, secret: false })]]),
  secrets: { add: () => undefined, isSecret: () => false },
  now: () => Date.parse('2024-02-29T10:30:15.750Z'),
  place: 'placeholders',
};
const call = (name: string, ...args: readonly unknown[]) =>
  evaluate(fromPlain({ function: name, args }), context).value;
const plain = (value: Exact) => (isNumber(value) ? Number(value.text) : value);

const key = '12345abcd5678efgh90ijk';

const cases = [
  ['base64_encode', ['JohnDoe:TopSecret'], 'Sm9obkRvZTpUb3BTZWNyZXQ='],
  ['base64_encode', ['é'], 'w6k='],
  ['base64_encode', [''], ''],
  ['base64_encode', [12], 'MTI='],
  [
    'sha1',
    ['d868d581b2f2edd09e8e7ce12c00723b3fcffb6a5d74c40eae9d94181a0bf731'],
    'a614a901d63e299c6f201a100f73cf0426d6271d',
  ],
  ['sha1', [''], 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
  ['sha1', ['é'], 'bf15be717ac1b080b4f1c456692825891ff5073d'],
  ['concat', [], ''],
  ['concat', ['a', 'b', 'c'], 'abc'],
  ['concat', [null, false, true, 1.5, '', 'x'], '11.5x'],
  ['md5', ['NotSoSecret'], '1228d3ff5089f27721f1e0403ad86e73'],
  ['md5', [''], 'd41d8cd98f00b204e9800998ecf8427e'],
  ['md5', [false], 'd41d8cd98f00b204e9800998ecf8427e'],
  ['hash_hmac', ['sha256', key, 'TeaPot'], 'd868d581b2f2edd09e8e7ce12c00723b3fcffb6a5d74c40eae9d94181a0bf731'],
  ['hash_hmac', ['MD5', 'abc', 12], '9eab6929411156e22075b13171ef932b'],
  ['implode', [',', ['a', { attr: 'x' }, { function: 'concat', args: ['b', 'c'] }]], 'a,value of x,bc'],
  ['implode', ['\n', [1, true, null, false, '', 1.5]], '1\n1\n\n\n\n1.5'],
  ['implode', ['', ['a', 'b']], 'ab'],
  ['implode', [0, ['a', 'b']], 'a0b'],
  ['implode', [', ', []], ''],
  ['implode', [',', { a: 'x', b: 'y' }], 'x,y'],
  ['urlencode', ["a b~!*'()é-_.+/"], 'a+b%7E%21%2A%27%28%29%C3%A9-_.%2B%2F'],
  ['urlencode', [5], '5'],
  ['urlencode', ['\ud800'], '%EF%BF%BD'],
  ['time', [], 1_709_202_615],
  ['date', ['Y-m-d H:i:s'], '2024-02-29 10:30:15'],
  ['date', ['Y-m-d H:i:s', null], '2024-02-29 10:30:15'],
  ['date', ['Y-m-d H:i:s', 1_492_606_006], '2017-04-19 12:46:46'],
  ['date', ['Y-m-d H:i:s', '1492606006'], '2017-04-19 12:46:46'],
  ['date', ['U', ' -1.9 '], '-1'],
  ['date', [2, 0], '2'],
  ['date', ['Y-m-d', { function: 'strtotime', args: ['-1 day', 1_504_785_600] }], '2017-09-06'],
  ['strtotime', ['now'], 1_709_202_615],
  ['strtotime', ['-1 day'], 1_709_116_215],
  ['strtotime', ['-1 day', 86_400], 0],
  ['strtotime', ['-1 day', '86400'], 0],
  ['strtotime', ['2017-04-19 12:46:46'], 1_492_606_006],
  ['strtotime', ['valid until noon'], false],
  ['strtotime', [false], false],
  ['ifempty', ['a', 'b'], 'a'],
  ['ifempty', [' ', 'b'], ' '],
  ['ifempty', ['0.0', 'b'], '0.0'],
  ['ifempty', [true, 'b'], true],
  ['ifempty', [0.5, 'b'], 0.5],
  ['ifempty', [['x'], 'b'], ['x']],
  ...['', '0', 0, 0.0, -0, null, false, [], {}].map((empty) => ['ifempty', [empty, 'b'], 'b'] as const),
  ['ifempty', [null, null], null],
] as const;

for (const [name, args, expected] of cases) {
  test(`${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')}) is ${JSON.stringify(expected)}`, () => {
    assert.equal(plain(call(name, ...args)), expected);
  });
}

const hashes = [
  ['md5', 'abc', '900150983cd24fb0d6963f7d28e17f72'],
  ['sha1', 'abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ['sha224', 'abc', '23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7'],
  ['SHA256', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['sha512/224', 'abc', '4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa'],
  ['sha512/256', 'abc', '53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23'],
  ['sha3-256', 'abc', '3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532'],
  ['ripemd160', 'abc', '8eb208f7e05d987a9b044a8e98c6b087f15a0bfc'],
  ['adler32', 'abc', '024d0127'],
  ['crc32', 'abc', '73bb8c64'],
  ['crc32b', 'abc', '352441c2'],
  ['crc32c', 'abc', '364b3fb7'],
  ['fnv132', 'abc', '439c2f4b'],
  ['fnv1a32', 'abc', '1a47e90b'],
  ['fnv164', 'abc', 'd8dcca186bafadcb'],
  ['fnv1a64', 'abc', 'e71fa2190541574b'],
  ['joaat', 'abc', 'ed131f5b'],
  ['adler32', '', '00000001'],
  ['crc32', '', '00000000'],
  ['joaat', 'é', 'ae8600ef'],
  ['fnv164', 'é', '0831c507b4ea243d'],
  ['crc32b', 'é', '0e048d3e'],
  ['crc32', 'é', '84d68f9d'],
] as const;

for (const [algorithm, text, expected] of hashes) {
  test(`hash by ${algorithm} of ${JSON.stringify(text)} is ${expected}`, () => {
    assert.is(call('hash', algorithm, text), expected);
  });
}

const faults = [
  ['hash', ['sha255', 'abc'], /^function "hash": unknown algorithm: .*"crc32b".*; did you mean "sha256"\?$/],
  ['hash_hmac', ['crc32b', 'abc', 'key'], /^function "hash_hmac": unknown algorithm: expected one of "md5"/],
  ['hash_hmac', ['sha256', 'abc'], /takes 3 arguments \(algorithm, text, key\), found 2$/],
  ['implode', [',', 'abc'], /^function "implode": expected a list, found a string$/],
  ['implode', [',', [['abc']]], /^function "implode": expected a string, found a list$/],
  ['implode', [['abc'], ','], /^function "implode": expected a list, found a string$/],
  ['ifempty', ['abc'], /takes 2 arguments/],
  ['ifempty', ['abc', 'abc', 'abc'], /takes 2 arguments/],
  [
    'date',
    ['Y', 'abc'],
    /^function "date": expected a number of seconds, found another string; `strtotime` converts dates to seconds$/,
  ],
  ['date', ['Y', false], /^function "date": expected a number of seconds, found false$/],
  [
    'date',
    ['Y', ''],
    /^function "date": expected a number of seconds, found another string; `strtotime` converts dates to seconds$/,
  ],
  ['date', ['Y', 8_640_000_000_001], /^function "date": the number of seconds is out of range$/],
  ['date', ['Y', '99999999999999999999'], /^function "date": the number of seconds is out of range$/],
  ['date', [], /^function "date" takes 1 to 2 arguments \(format, timestamp\), found 0$/],
  [
    'strtotime',
    ['now', 'abc'],
    /^function "strtotime": expected a number of seconds, found another string; `strtotime` converts dates to seconds$/,
  ],
  ['strtotime', ['now', 8_640_000_000_001], /^function "strtotime": the number of seconds is out of range$/],
  ['md5', [['abc']], /^function "md5": expected a string, found a list$/],
  ['time', ['abc'], /^function "time" takes no arguments, found 1$/],
] as const;

for (const [name, args, message] of faults) {
  test(`${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')}) is rejected without showing its values`, () => {
    assert.throws(
      () => call(name, ...args),
      (error: unknown) =>
        error instanceof ExtractError &&
        error.code === 'ERR_FUNCTION' &&
        message.test(error.message) &&
        !error.message.includes('abc'),
    );
  });
}

test.run();
