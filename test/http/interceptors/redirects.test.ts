import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { redirectTarget } from '../../../src/http/interceptors/redirects.js';

const targets: readonly (readonly [
  status: number,
  location: string | readonly string[] | undefined,
  target?: string,
])[] = [
  [302, '/next', '/next'],
  [308, ['/first', '/second'], '/first'],
  [302, ''],
  [302, []],
  [304, undefined],
  [200, '/next'],
  [404, '/next'],
];

for (const [status, location, target] of targets) {
  test(`a response ${status} with the location ${JSON.stringify(location)} leads to ${target}`, () =>
    assert.is(redirectTarget({ status, headers: location === undefined ? {} : { location } }), target));
}

test.run();
