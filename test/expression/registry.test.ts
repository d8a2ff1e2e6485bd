import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject } from '../../src/exact.js';
import { parseExact } from '../../src/exact-parse.js';
import { evaluate } from '../../src/expression/expression.js';
import { functions, functionsToCome } from '../../src/expression/registry.js';
import { textOf } from '../../src/expression/text.js';

const nothing = { references: new Map(), secrets: { add: () => undefined } };

for (const [name, { example, gives, args }] of Object.entries(functions)) {
  test(`the example of ${name} calls it and gives what it says`, () => {
    const call = parseExact(example);
    assert.is(isObject(call) && call.get('function'), name);
    assert.is(textOf(evaluate(call, nothing).value), gives);
  });

  test(`only the last argument of ${name} is variadic`, () => {
    assert.ok(args.slice(0, -1).every((argument) => !('variadic' in argument)));
  });
}

test('a function is either there or to come', () => {
  assert.equal(
    Object.keys(functions).filter((name) => functionsToCome.includes(name)),
    [],
  );
});

test.run();
