import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ErrorCode } from '../../src/core/errors/error-codes.js';
import type { Notice } from '../../src/core/model/notice.js';
import { extract } from '../../src/run/extract.js';
import { rejection } from '../sinks/lib.js';

const env = { NAME: 'customers', OTHER: 'quite-another' };
const variable = { env: 'NAME' };

const configuration = (job: object, config: object = {}) => ({
  api: { baseUrl: 'http://api.test/' },
  config: { ...config, jobs: [{ endpoint: 'x', params: { a: { env: 'OTHER' } }, ...job }] },
});

const why = 'the name contains an environment variable, which is a secret, so it is shown as ***';
const hint = 'set its `dataType`';
const cases: readonly (readonly [job: object, config: object, ...warnings: readonly string[]])[] = [
  [{ dataType: variable }, {}, `config.jobs[0]: ${why}; ${hint}`],
  [{ endpoint: variable }, {}, `config.jobs[0]: ${why}; ${hint}`],
  [
    { children: [{ endpoint: '{i}', placeholders: { i: 'i' }, dataType: variable }] },
    {},
    `config.jobs[0].children[0]: ${why}; ${hint}`,
  ],
  [{}, { outputBucket: variable }, `config.outputBucket: ${why}`],
  [{ endpoint: variable, dataType: 'users' }, {}],
  [{ dataType: 'users', params: { team: variable } }, { team: variable }],
];

for (const [job, config, ...warnings] of cases) {
  test(`${JSON.stringify({ job, config })} ${warnings.length === 0 ? 'keeps its names' : 'is warned of'}`, () => {
    const notices: Notice[] = [];
    extract(configuration(job, config), { env, notify: (notice) => notices.push(notice) });
    assert.equal(
      notices.filter(({ code }) => code === 'masked-name').map(({ message }) => message),
      warnings,
    );
  });
}

test('under strict it ends the run before it begins, as does a variable that is empty', async () => {
  await rejection(async () => extract(configuration({ dataType: variable }), { env, strict: true }), 'ERR_STRICT');
  const empty = { env: { ...env, OTHER: '' }, strict: true };
  await rejection(async () => extract(configuration({}), empty), 'ERR_STRICT', /the variable "OTHER" is empty/);
});

const http = { requiredHeaders: ['X-Account', variable] };
const missing = 'required by api.http.requiredHeaders: expected a value';
const failures: readonly (readonly [api: object, job: object, code: ErrorCode, ...problems: readonly string[]])[] = [
  [{ http }, {}, 'ERR_CONFIG', `config.http.headers.X-Account: ${missing}`, `config.http.headers.***: ${missing}`],
  [{}, { userData: { a: { time: variable } } }, 'ERR_FUNCTION', 'config.jobs[0].userData.a: there is no time "***"'],
];

for (const [api, job, code, ...expected] of failures) {
  test(`an error about a name from the environment does not show the name: ${expected.at(-1)}`, async () => {
    const notices: string[] = [];
    const odd = { api: { baseUrl: 'http://api.test/', ...api }, config: { jobs: [{ endpoint: 'x', ...job }] } };
    const notify = ({ message }: Notice) => void notices.push(message);
    const { message, problems } = await rejection(async () => extract(odd, { env, notify }), code);
    const found = problems.map((problem) => `${problem.path}: ${problem.message}`);
    assert.equal(found.length === 0 ? [message] : found, expected);
    assert.not.match([message, ...notices].join('\n'), /customers/);
  });
}

test.run();
