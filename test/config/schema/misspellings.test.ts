/** The schema finds an unknown key anywhere. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { authentications } from '../../../src/auth/registry.js';
import { type Exact, fromPlain } from '../../../src/core/json/exact.js';
import type { ExpressionFunction } from '../../../src/language/expression/function.js';
import { functions } from '../../../src/language/expression/registry.js';
import { paginators } from '../../../src/pagination/registry.js';
import { faultsBySchema } from './judge.js';
import { overlaid, places, type Step } from './places.js';

const pathOf = (steps: readonly Step[]): string => steps.map((step) => `/${step}`).join('');

/** The schema's problems with a key at a place. */
function saidOf(document: Exact, steps: readonly Step[], key: string): readonly string[] {
  const planted = overlaid(document, steps, new Map([[key, null]]));
  return faultsBySchema(planted).filter(
    (fault) => fault.startsWith(`${pathOf(steps)}: `) && fault.endsWith(`: ${key}`),
  );
}

for (const { steps, fields, document } of places().filter(({ isOpen }) => !isOpen)) {
  for (const key of Object.keys(fields)) {
    test(`${[...steps, key].join('.')} is a key, and is found when it is misspelt`, () => {
      assert.equal(saidOf(document, steps, key), []);
      assert.is.not(saidOf(document, steps, `${key}x`).length, 0);
    });
  }
}

test('there are places of every kind', () => {
  const found = places().map(({ steps }) => steps.join('.'));
  for (const path of [
    '',
    'api',
    'api.http.defaultOptions',
    'config.jobs.0',
    'api.pagination',
    'api.pagination.forceStop',
  ]) {
    assert.ok(found.includes(path), path);
  }
  assert.ok(found.includes('api.authentication.loginRequest'));
});

const least = { api: { baseUrl: 'https://api.example.com/' }, config: { jobs: [{ endpoint: 'users' }] } };
const isTaken = (overlay: object): boolean =>
  faultsBySchema(fromPlain({ api: { ...least.api, ...overlay }, config: least.config })).length === 0;

for (const name of Object.keys(paginators)) {
  test(`the method ${name} is found when it is misspelt`, () => {
    assert.not(isTaken({ pagination: { method: `${name}x` } }));
  });
}

for (const name of Object.keys(authentications)) {
  test(`the type ${name} is found when it is misspelt`, () => {
    assert.not(isTaken({ authentication: { type: `${name}x` } }));
  });
}

const calling = (name: string, args: readonly string[]): boolean =>
  isTaken({ http: { headers: { 'X-A': { function: name, args } } } });

for (const [name, { args, only }] of Object.entries<ExpressionFunction>(functions)) {
  const isVariadic = args.some(({ variadic }) => variadic === true);
  const least = args.filter(({ optional, variadic }) => optional !== true && variadic !== true).length;

  test(`the function ${name} is found when it is misspelt, or has too few or too many arguments`, () => {
    assert.is(calling(name, Array(least).fill('x')), only === undefined);
    assert.not(calling(`${name}x`, Array(least).fill('x')));
    if (least > 0) assert.not(calling(name, Array(least - 1).fill('x')));
    if (!isVariadic) assert.not(calling(name, Array(args.length + 1).fill('x')));
  });
}

test.run();
