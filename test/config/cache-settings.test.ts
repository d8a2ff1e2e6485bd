import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inspect } from '../../src/config/parse-config.js';
import { fromPlain } from '../../src/core/json/exact.js';
import { documentOf, problemsOf } from './fakes.js';

const withCache = (cache: unknown) => new Map([...documentOf({}), ['cache', fromPlain(cache)] as const]);
const ttlOf = (cache: unknown) => inspect(withCache(cache)).configs?.map((config) => config.cache?.ttlSeconds);
const week = 604_800;

for (const [cache, ttl] of [
  [true, week],
  ['true', week],
  [1, week],
  ['1', week],
  [{ ttl: null }, week],
  [{ ttl: 60 }, 60],
  [{ ttl: '60' }, 60],
  [null, undefined],
  [false, undefined],
  ['false', undefined],
  [0, undefined],
  ['', undefined],
  ['0', undefined],
  [[], undefined],
  [{}, undefined],
] as const) {
  test(`${JSON.stringify(cache)} ${ttl === undefined ? 'is none' : `keeps answers for ${ttl} s`}`, () => {
    assert.equal(ttlOf(cache), [ttl]);
  });
}

const orObject = 'expected true, or an object with "ttl", found';

for (const [cache, problem] of [
  ['on', `cache: ${orObject} a string`],
  [2, `cache: ${orObject} a number`],
  [[1], `cache: ${orObject} a list`],
  [{ ttl: 0 }, 'cache.ttl: expected a whole number from 1 up, found a number'],
  [{ ttl: 1.5 }, 'cache.ttl: expected a whole number from 1 up, found a number with a fraction or an exponent'],
  [{ ttl: 'a week' }, 'cache.ttl: expected a whole number from 1 up, or a string of digits, found a string'],
] as const) {
  test(`${JSON.stringify(cache)} is refused`, () => {
    assert.equal(problemsOf(withCache(cache)), [problem]);
    assert.equal(problemsOf(new Map([['parameters', withCache(cache)]])), [`parameters.${problem}`]);
  });
}

test('a configuration can choose no folder', () => {
  const { notices } = inspect(withCache({ ttl: 60, folder: '/etc' }));
  assert.equal(
    notices.map(({ message }) => message),
    ['cache.folder: unknown key, not used'],
  );
});

test('every iteration has its own cache', () => {
  const { configs = [] } = inspect(
    fromPlain({
      api: { baseUrl: 'https://api.example/' },
      config: { jobs: [{ endpoint: 'x' }] },
      iterations: [{ account: 1 }, { account: 2 }, { account: 1 }],
      cache: true,
    }),
  );
  const [first, second, third] = configs.map(({ cache }) => cache?.senderId);
  assert.is.not(first, second);
  assert.is(first, third);
  assert.match(first ?? '', /^[\da-f]{64}$/);
});

test.run();
