import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromPlain, stringifyExact, stringifyStart } from '../../../src/core/json/exact.js';

test('the start of a value is that of its JSON, at every length', () => {
  const value = fromPlain({ a: [1, 'two "quoted"', { b: null, 'ü "c"': [] }, true], long: 'x'.repeat(50), e: {} });
  const whole = stringifyExact(value);
  for (let most = 1; most <= whole.length + 3; most += 1) {
    assert.is(stringifyStart(value, most), whole.slice(0, most), `${most} characters`);
  }
});

test('the start of a list reads no more of it than it shows', () => {
  let read = 0;
  const element = () => {
    read += 1;
    return 'x'.repeat(10);
  };
  const list = new Proxy(Array.from<string>({ length: 1000 }), {
    get: (target, key, self) => (/^\d+$/.test(String(key)) ? element() : Reflect.get(target, key, self)),
  });
  assert.is(stringifyStart(list, 30), '["xxxxxxxxxx","xxxxxxxxxx","xx');
  assert.is(read, 3);
});

test.run();
