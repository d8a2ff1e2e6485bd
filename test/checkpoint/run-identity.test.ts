/** Which keys may change between a run and its resume. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Checkpoint } from '../../src/checkpoint/checkpoint.js';
import { assertSameRun, fingerprintRun } from '../../src/checkpoint/run-identity.js';
import { type Exact, ExactNumber, fromPlain } from '../../src/core/json/exact.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { decidingOptions } from '../../src/run/run-options.js';
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
    'config.jobs.0.onError',
    'image_parameters',
  ]);
});

test('these options of a run must stay: they decide which items it extracts', () => {
  assert.equal(
    [...decidingOptions({ maxPages: 2, concurrency: 3 })],
    [
      ['certify', null],
      ['state', null],
      ['outputNames', 'dataType'],
      ['jobs', null],
      ['select', null],
      ['maxItems', null],
      ['maxPages', new ExactNumber('2')],
      ['full', null],
      ['since', null],
      ['until', null],
      ['remember', null],
    ],
  );
});

test('a secret in the state may change, and a name that is a secret may not', () => {
  const secrets = createSecrets();
  secrets.add('hunter22');
  const options = new Map([
    ['state', fromPlain({ token: 'hunter22', at: 5 })],
    ['jobs', 'hunter22'],
  ]);
  const { marks, values } = fingerprintRun({ written: null, values: new Map(), options }, secrets);
  assert.is(marks['state.token'], 'secret');
  assert.match(marks.jobs ?? '', /^[\da-f]{8}$/);
  assert.equal(values, { '': 'none', 'state.at': '5' });
});

const pathsOf = (written: unknown) => {
  const identity = { written: fromPlain(written), values: new Map(), options: new Map() };
  const { marks } = fingerprintRun(identity, createSecrets());
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

test('of many differences the first five are named, and the values of files as one', () => {
  const identity = (files: Exact, names: string) => ({
    written: fromPlain({ config: Object.fromEntries([...names].map((name) => [name, files])) }),
    values: new Map([['config.jobs[0].each.id', files]]),
    options: new Map(),
  });
  const print = (...given: Parameters<typeof identity>) => fingerprintRun(identity(...given), createSecrets());
  const begin = print('1', 'abcdef');
  const checkpoint = { store: { name: 'st' }, earlier: [{ begin }] };
  const none = { options: new Map(), unsetOptions: new Map() };
  const same = (now: typeof begin) => assertSameRun(checkpoint as unknown as Checkpoint, now, none); // all that it reads
  same(begin);
  const message = messageOf(() => same(print('2', 'abcdef')));
  assert.match(message, /^the run in "st" used another configuration or window: config\.a was "1" and is "2", /);
  assert.match(message, /, and 2 more$/);
  assert.match(
    messageOf(() => same({ ...begin, ...print('2', '') })),
    /the files of `each` differs/,
  );
});

test('a run of a version without an option resumes, unless the option is set', () => {
  const unsetOptions = new Map<string, Exact>([
    ['maxPages', null],
    ['outputNames', 'dataType'],
  ]);
  const printOf = (options: ReadonlyMap<string, Exact>) =>
    fingerprintRun({ written: null, values: new Map(), options }, createSecrets());
  const begin = printOf(new Map([['maxPages', null]]));
  const checkpoint = { store: { name: 'st' }, earlier: [{ begin }] } as unknown as Checkpoint; // all that it reads
  const resume = (changes: ReadonlyMap<string, Exact>) => {
    const options = new Map([...unsetOptions, ...changes]);
    assertSameRun(checkpoint, printOf(options), { options, unsetOptions });
  };
  resume(new Map());
  assert.match(
    messageOf(() => resume(new Map([['outputNames', 'bucket.dataType']]))),
    /: outputNames is new$/,
  );
  assert.match(
    messageOf(() => resume(new Map([['maxPages', '5']]))),
    /: maxPages was none and is "5"$/,
  );
});

function messageOf(work: () => void): string {
  try {
    work();
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : '';
  }
  return '';
}

test.run();
