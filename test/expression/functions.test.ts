import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromPlain } from '../../src/exact.js';
import { evaluate } from '../../src/expression/expression.js';

const nothing = { references: new Map(), secrets: { add: () => undefined } };
const call = (name: string, ...args: readonly unknown[]) =>
  evaluate(fromPlain({ function: name, args }), nothing).value;

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
] as const;

for (const [name, args, expected] of cases) {
  test(`${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')}) is ${JSON.stringify(expected)}`, () => {
    assert.is(call(name, ...args), expected);
  });
}

test.run();
