import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { toText } from '../../../src/language/expression/convert.js';
import { evaluate } from '../../../src/language/expression/expression.js';
import type { ExpressionFunction } from '../../../src/language/expression/function.js';
import { functions } from '../../../src/language/expression/registry.js';

/** The clock of the examples: 2026-01-01 00:00:00. */
const clock = {
  references: new Map(),
  secrets: { add: () => undefined, isSecret: () => false },
  now: () => 1_767_225_600_000,
};

for (const [name, { example, gives, args, only }] of Object.entries<ExpressionFunction>(functions)) {
  test(`the example of ${name} calls it and has its stated result`, () => {
    const call = parseExact(example);
    assert.is(isObject(call) && call.get('function'), name);
    assert.is(toText(evaluate(call, only === undefined ? clock : { ...clock, place: only }).value), gives);
  });

  test(`only the last argument of ${name} is variadic`, () => {
    assert.ok(args.slice(0, -1).every((argument) => !('variadic' in argument)));
  });
}

test.run();
