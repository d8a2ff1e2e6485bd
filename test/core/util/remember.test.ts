import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { remember, rememberFor } from '../../../src/core/util/remember.js';

test('remembers results, but no throws, and forgets all beyond a hundred', () => {
  const asked: string[] = [];
  const work = remember((key: string) => {
    asked.push(key);
    if (key === 'bad') throw new Error('bad');
    return { key };
  });
  assert.is(work('a'), work('a'));
  assert.throws(() => work('bad'), /bad/);
  assert.throws(() => work('bad'), /bad/);
  assert.equal(asked, ['a', 'bad', 'bad']);
  for (let n = 0; n < 100; n++) work(String(n));
  work('a');
  assert.is(asked.filter((key) => key === 'a').length, 2);
});

test('remembers the result of an object, but no throws', () => {
  const asked: object[] = [];
  const work = rememberFor((key: { readonly isBad?: true }) => {
    asked.push(key);
    if (key.isBad === true) throw new Error('bad');
    return { key };
  });
  const [one, other, bad] = [{}, {}, { isBad: true } as const];
  assert.is(work(one), work(one));
  assert.is.not(work(one), work(other));
  assert.throws(() => work(bad), /bad/);
  assert.throws(() => work(bad), /bad/);
  assert.equal(asked, [one, other, bad, bad]);
});

test.run();
