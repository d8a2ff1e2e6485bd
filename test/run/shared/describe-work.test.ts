/** What a run of many processes is submitted with, and what prevents sharing. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory, nullSink } from '../../../sinks/index.js';
import { parseDocument } from '../../../src/config/document.js';
import { fromPlain, stringifyExact } from '../../../src/core/json/exact.js';
import { createCredentialBroker } from '../../../src/http/credential-broker.js';
import { createLoginShare } from '../../../src/http/login-share.js';
import { createRateLimiter, type MakeRateLimiter } from '../../../src/http/rate-limiter.js';
import type { ExtractOptions } from '../../../src/run/options.js';
import { describeWork } from '../../../src/run/shared/describe-work.js';
import { readWork, taskOptions, workOf } from '../../../src/run/shared/work.js';
import { createWorkerShare } from '../../../src/run/shared/worker-share.js';
import { rejection } from '../../sinks/lib.js';

const RXTRACT_KEY = Buffer.alloc(32, 5).toString('base64');

const configuration = {
  api: { baseUrl: 'http://127.0.0.1:9/' },
  config: { jobs: [{ endpoint: 'users', children: [{ endpoint: 'users/{id}', placeholders: { id: 'id' } }] }] },
};

/** The lines of the refusal. */
async function refusal(document: object, options: ExtractOptions): Promise<readonly string[]> {
  const error = await rejection(describeWork('nightly', document, options), 'ERR_USAGE');
  return error.message.split('\n');
}

/** What each line is about. */
const subjects = (lines: readonly string[]) => lines.map((line) => line.slice(0, line.indexOf(': not in')));

test('without secrets no key is needed, and workers get configuration and options as they are', async () => {
  const options = { to: ['null:'], jobs: ['users'], concurrency: 3, minItems: { users: 2 }, env: {} };
  const start = await describeWork('nightly', { ...configuration, big: 12345678901234567890n }, options);
  assert.equal([start.jobs, start.begin.sinks], [[{ job: 0 }], ['cut']]);
  assert.match(start.work, /"big":12345678901234567890/);
  const work = readWork({ name: 'nightly', work: start.work }, {});
  assert.equal([...work.options.keys()].sort(), ['concurrency', 'jobs', 'minItems', 'to']);
});

test('all that prevents sharing is said at once: options, sinks, files of tokens', async () => {
  const authentication = {
    ...{ type: 'oauth2', grant: 'refresh_token', tokenEndpoint: 'token', clientId: 'a', clientSecret: { attr: '#b' } },
    ...{ refreshToken: { attr: '#b' }, tokenStore: 'tokens.json' },
  };
  const document = {
    api: { ...configuration.api, authentication },
    config: { ...configuration.config, '#b': 'secret-1' },
  };
  const lines = await refusal(document, {
    ...{
      to: ['ndjson:out', 'users=stdout:', 'null:'],
      maxItems: 5,
      maxPages: 2,
      maxDuration: 60_000,
      dataFolder: false,
    },
    ...{
      onItemError: { deadLetter: 'csv:letters' },
      shape: { $defs: { users: {}, 'users/{id}': {} } },
      onDrift: 'evolve' as const,
    },
    env: { RXTRACT_KEY },
  });
  assert.equal(subjects(lines), [
    ...['maxItems', '`maxPages`', '`maxDuration`', '`onDrift`'],
    ...['ndjson:out', 'stdout:', 'csv:letters', 'api.authentication.tokenStore'],
  ]);
});

test('a folder of parts, and one to gather into, is one of the root', async () => {
  const to = ['parts:p', 'a=parts:/p?gather=csv:out', 'b=parts+s3://lake/x?region=r&gather=ndjson:/out', 'c=parts:/p'];
  const lines = await refusal(configuration, { to, env: {} });
  assert.equal(
    lines.map((line) => line.replace(/ as in ".*/, '')),
    ['parts:p', 'parts:/p?gather=csv:out'].map((name, at) => {
      const folder = `"${at === 0 ? 'p' : 'out'}" is another folder for each of them`;
      return `${name}: not in a run that many processes share: ${folder}. Write it from the root on,`;
    }),
  );
  assert.match(lines[1] ?? '', `as in "${process.cwd()}/out"`);
});

test('what can be written in another way is said with it', async () => {
  const lines = await refusal(configuration, {
    to: ['csv:out?delimiter=;', 'kafka://localhost:9092/items?transactions=true', 'users=stdout:'],
    env: { RXTRACT_KEY },
  });
  assert.match(lines.join('\n'), /csv:out: .* at once\. Use parts:DIR\?gather=csv:out, with a folder DIR/);
  assert.match(lines.join('\n'), /kafka:.* at once\. Leave out transactions=true/);
  assert.match(lines.join('\n'), /stdout:: .* at once$/m);
});

test('jobs that remember a value need an option with which nothing of earlier runs is asked for', async () => {
  const incremental = { path: 'updated', param: 'since', until: 'before', initial: '2026-01-01' };
  const jobs = [{ endpoint: 'users', incremental }];
  const document = { ...configuration, config: { jobs } };
  assert.equal(subjects(await refusal(document, { env: {} })), ['config.jobs[0].incremental']);
  assert.equal(subjects(await refusal(document, { since: '2026-02-01', remember: true, env: {} })), ['remember']);
  for (const given of [{ full: true }, { since: '2026-02-01' }, { until: '2026-03-01' }]) {
    await describeWork('nightly', document, { ...given, env: {} });
  }
});

test('what is no configuration is the error of a run', async () => {
  await rejection(describeWork('nightly', [], { env: {} }), 'ERR_CONFIG');
});

test('objects and functions of a process are refused', async () => {
  const given = { to: memory(), onItemError: { deadLetter: () => {} }, dispatcher: { dispatch: () => true } };
  const lines = await refusal(configuration, given as unknown as ExtractOptions);
  assert.equal(subjects(lines), ['to', '`onItemError`', '`dispatcher`']);
  assert.equal(subjects(await refusal(configuration, { to: ['null:', nullSink()] })), ['to']);
});

test('a state of the caller and a resume are refused: the board has them', async () => {
  const given = { store: {}, resume: 'failed', checkpoint: undefined, signal: new AbortController().signal };
  const lines = await refusal(configuration, given as unknown as ExtractOptions);
  assert.equal(subjects(lines), ['store', '`resume`']);
});

test('a state at a server may keep refresh tokens', async () => {
  const authentication = {
    ...{ type: 'oauth2', grant: 'refresh_token', tokenEndpoint: 'token', clientId: 'a' },
    ...{ tokenStore: 'postgres://127.0.0.1:9/db?state=tokens' },
  };
  const document = { api: { ...configuration.api, authentication }, config: configuration.config };
  const { work } = await describeWork('nightly', document, { env: { RXTRACT_KEY } });
  assert.match(work, /^{"format":1,"sealed":"/);
  const ofFolder = {
    parameters: { ...document, api: { ...document.api, authentication: { ...authentication, tokenStore: 'x' } } },
  };
  const lines = await refusal(ofFolder, { env: { RXTRACT_KEY } });
  assert.equal(subjects(lines), ['parameters.api.authentication.tokenStore']);
});

test('without a key each written secret is named, and a login that workers would share', async () => {
  const authentication = {
    ...{ type: 'login', loginRequest: { endpoint: 'login', params: { user: 'user-1', password: 'pass-word-2' } } },
    apiRequest: { headers: { 'X-Token': 'token' } },
  };
  const document = {
    api: { baseUrl: 'http://127.0.0.1:9/', authentication, http: { headers: { 'X-Api-Key': 'a-plain-key' } } },
    config: {
      ...configuration.config,
      '#pin': 12,
      '#list': ['a', { env: 'A' }],
      '#command': { command: ['echo', 'of-a-command'] },
      '#empty': '',
    },
  };
  const options = {
    to: ['users=redis://:pw@127.0.0.1:9/?stream=s', 'null:'],
    proxy: 'http://u:short@127.0.0.1:9',
    env: { A: 'a' },
  };
  const secret = (path: string, instead = '{"env": "NAME"}') =>
    `${path}: workers get a secret only encrypted: set the variable RXTRACT_KEY, or write ${instead} in its place`;
  const login = 'api.authentication.loginRequest.params';
  assert.equal(await refusal(document, options), [
    ...[`${login}.user`, `${login}.password`, 'api.http.headers.X-Api-Key', 'config.#pin', 'config.#list[0]'].map(
      (path) => secret(path),
    ),
    ...['to[0]', 'proxy'].map((path) => secret(path, '$' + '{NAME}')),
    'api.authentication: workers share a login only encrypted: set the variable RXTRACT_KEY',
  ]);
  const error = await rejection(describeWork('nightly', document, options), 'ERR_USAGE');
  assert.match(
    error.where.remedy ?? '',
    /^Set RXTRACT_KEY to 32 bytes in base64, such as `openssl rand -base64 32` prints/,
  );
  const { work } = await describeWork('nightly', document, { ...options, env: { ...options.env, RXTRACT_KEY } });
  assert.equal(Object.keys(JSON.parse(work)), ['format', 'sealed']);
});

test('a key that is missing, wrong or of another run is an error that names the variable', async () => {
  const { work } = await describeWork('nightly', configuration, { env: { RXTRACT_KEY } });
  const other = Buffer.alloc(32, 6).toString('base64');
  const read =
    (name: string, env: Record<string, string>, text = work) =>
    () =>
      readWork({ name, work: text }, env);
  const missing = await rejection(
    read('nightly', {}),
    'ERR_USAGE',
    /"nightly" is encrypted, and there is no variable RXTRACT_KEY/,
  );
  assert.match(missing.where.remedy ?? '', /the same for all workers/);
  await rejection(read('nightly', { RXTRACT_KEY: other }), 'ERR_USAGE', /RXTRACT_KEY is another key/);
  await rejection(read('weekly', { RXTRACT_KEY }), 'ERR_USAGE', /or it was changed/);
  await rejection(read('nightly', { RXTRACT_KEY: 'x' }), 'ERR_USAGE', /is not a key/);
  await rejection(describeWork('nightly', configuration, { env: { RXTRACT_KEY: 'x' } }), 'ERR_USAGE', /is not a key/);
  for (const text of [
    '[]',
    '{"format":2,"configuration":{},"options":{}}',
    '{"format":1,"options":{}}',
    '{"format":1,"configuration":{}}',
  ]) {
    await rejection(read('nightly', {}, text), 'ERR_STATE', /not one that this version of rxtract has submitted/);
  }
});

test('a task has the options of the run, and the limiter, logins and variables of its worker', async () => {
  const given = {
    ...{
      to: ['null:', 'users=null:'],
      jobs: ['users'],
      concurrency: 3,
      minItems: { users: 2 },
      prefetch: 'auto' as const,
    },
    ...{ maxItemBytes: 5000, select: ['id'], onItemError: { deadLetter: 'null:' }, proxy: 'env', strict: true },
    ...{ allow: ['x'], full: true, outputNames: 'bucket.dataType' as const, onChangedPage: 'again' as const },
    state: { time: { previousStart: 5 } },
  };
  const work = workOf(parseDocument(JSON.stringify(configuration), 'config'), given);
  const limiter = () => createRateLimiter({ rates: [] });
  const credentials = createCredentialBroker();
  const env = { A: 'a' };
  const options = taskOptions('nightly', work, { env, limiter, credentials, cacheFolder: 'cache' });
  const { rateLimiter, state, ...rest } = options;
  assert.is(rateLimiter, limiter);
  assert.is(options.credentials, credentials);
  assert.is(stringifyExact(fromPlain(state)), '{"time":{"previousStart":5}}');
  for (const [name, value] of Object.entries(given)) {
    if (name !== 'state') assert.equal(Object.entries(rest).find(([each]) => each === name)?.[1], value, name);
  }
  assert.equal([options.env, options.cacheFolder, options.commands], [env, 'cache', true]);
  assert.is(taskOptions('nightly', work, { env, limiter, credentials, commands: false }).commands, false);
  const wrong = workOf(parseDocument(JSON.stringify(configuration), 'config'), { jobs: 5 });
  await rejection(() => taskOptions('nightly', wrong, { env, limiter, credentials }), 'ERR_STATE', /not one that/);
});

test('tasks of a worker have one limiter for each API and its rates', () => {
  const made: string[] = [];
  const limiter: MakeRateLimiter = ({ key, rates }) => {
    made.push(key);
    return createRateLimiter({ rates });
  };
  const share = createWorkerShare(limiter, createLoginShare());
  const rates = [{ most: 1, ms: 1000 }];
  const [first, again] = [1, 2].map(() => share.limiter({ key: 'a', rates, notify: () => {} }));
  assert.is(first, again);
  assert.is.not(first, share.limiter({ key: 'b', rates }));
  assert.is.not(first, share.limiter({ key: 'a', rates: [] }));
  assert.equal(made, ['a', 'b', 'a']);
  assert.is(createWorkerShare(limiter, undefined).credentials.size, 0);
});

test.run();
