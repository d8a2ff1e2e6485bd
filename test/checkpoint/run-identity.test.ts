/** Which keys may change between a run and its resume. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fingerprintRun } from '../../src/checkpoint/run-identity.js';
import { fromPlain } from '../../src/core/json/exact.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { places } from '../config/schema/places.js';

test('these keys may change: none decides which items a run extracts', () => {
  const changeable = places().flatMap(({ steps, fields }) =>
    Object.entries(fields).flatMap(([key, row]) => (row.mayChangeOnResume === true ? [[...steps, key].join('.')] : [])),
  );
  assert.equal([...new Set(changeable)].sort(), [
    '$schema',
    'api.authentication.authorizationEndpoint',
    'api.authentication.deviceEndpoint',
    'api.authentication.refusedBy',
    'api.authentication.refusedText',
    'api.authentication.shared',
    'api.authentication.tokenStore',
    'api.caCertificate',
    'api.http.acceptEncoding',
    'api.http.connectTimeout',
    'api.http.credentialOrigins',
    'api.http.headersTimeout',
    'api.http.idleTimeout',
    'api.http.rateLimit',
    'api.http.rateLimitHeaders',
    'api.http.requestTimeout',
    'api.name',
    'api.retryConfig',
    'config.debug',
    'config.jobs.0.allowRepeatedItems',
    'image_parameters',
  ]);
});

const pathsOf = (written: unknown) => {
  const identity = {
    filled: null,
    values: new Map(),
    state: null,
    jobs: [],
    outputNames: 'dataType' as const,
    bounds: {},
    select: [],
    startedAt: 0,
  };
  const { marks } = fingerprintRun({ ...identity, written: fromPlain(written) }, createSecrets());
  return Object.keys(marks).filter((path) => /^(?:parameters|api|config)\b/.test(path));
};

test('they are found wherever they are written, and leave no empty object', () => {
  const paged = { method: 'multiple', scrollers: { a: { method: 'pagenum', prefetch: 2, limit: 5 } }, overlap: true };
  const api = { http: { connectTimeout: 5 }, retryConfig: { http: { codes: [500] } }, pagination: paged };
  const children = [{ endpoint: 'y', allowRepeatedItems: true, pagination: { method: 'none', prefetch: 0 } }];
  const config = { debug: true, jobs: { users: { endpoint: 'x', allowRepeatedItems: true, children } } };
  const expected = [
    'api.pagination.method',
    'api.pagination.scrollers.a.method',
    'api.pagination.scrollers.a.limit',
    'config.jobs.users.endpoint',
    'config.jobs.users.children[0].endpoint',
    'config.jobs.users.children[0].pagination.method',
  ];
  assert.equal(pathsOf({ api, config }), expected);
  assert.equal(
    pathsOf({ parameters: { api, config } }),
    expected.map((path) => `parameters.${path}`),
  );
});

test('an attribute of the same name is no key', () => {
  assert.equal(pathsOf({ config: { retryConfig: 1, name: 'a', jobs: [] } }), [
    'config.retryConfig',
    'config.name',
    'config.jobs',
  ]);
});

test.run();
