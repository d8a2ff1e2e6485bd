/** Values of no type as configurations. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stringifyExact } from '../../src/core/json/exact.js';
import { extract, parseDocument } from '../../src/index.js';
import { parseConfiguration } from '../../src/run/parse-configuration.js';
import { parsed } from '../config/schema/judge.js';
import { sources } from '../rules/sources.js';
import { rejection } from '../sinks/lib.js';

const least = { api: { baseUrl: 'https://api.example.com/' }, config: { jobs: [{ endpoint: 'users' }] } };

/** A configuration whose types are those of imported JSON. */
const imported = (api: object): unknown => JSON.parse(JSON.stringify({ ...least, api: { ...least.api, ...api } }));

const faultsOf = async (value: unknown): Promise<readonly string[]> => {
  const error = await rejection(async () => parseConfiguration(value), 'ERR_CONFIG');
  return error.problems.map(({ path, message }) => `${path}: ${message}`);
};

test('returns its argument, which extract accepts', () => {
  const value = imported({ pagination: { method: 'pagenum', limit: '100' } });
  const configuration = parseConfiguration(value);
  assert.ok(configuration === value);
  assert.equal(
    extract(configuration).jobs.map(({ name }) => name),
    ['users'],
  );
});

test('reports every problem at once, each with its path', async () => {
  const paths = (await faultsOf(imported({ baseUrl: 3, pagination: { method: 'pagnum' } }))).map((fault) =>
    fault.replace(/: .*/, ''),
  );
  assert.equal(paths.sort(), ['api.baseUrl', 'api.pagination.method']);
});

test('a fault names the nearest method', async () => {
  const [fault = ''] = await faultsOf(imported({ pagination: { method: 'pagnum' } }));
  assert.match(fault, /^api\.pagination\.method: .*did you mean "pagenum"\?/);
});

for (const [what, value] of [
  ['null', null],
  ['a list', []],
  ['a number', 1],
  ['an object without jobs', { api: least.api, config: {} }],
  ['a function', { ...least, more: () => 1 }],
] as const) {
  test(`${what} is a problem`, async () => {
    assert.ok((await faultsOf(value)).length > 0);
  });
}

test('a value of the environment is left to who knows it', async () => {
  const variable = { env: 'SOMETHING' };
  const value = imported({ baseUrl: variable, pagination: { method: 'pagenum', limit: variable, firstPage: 'x' } });
  const faults = await faultsOf(value);
  assert.is(faults.length, 1);
  assert.match(faults[0] ?? '', /^api\.pagination\.firstPage: /);
});

test('a string, and a parsed configuration, are rejected with what to do', async () => {
  await rejection(async () => parseConfiguration('{}'), 'ERR_USAGE', /parseDocument/);
  const document = parseDocument(JSON.stringify(least), 'config.json');
  await rejection(async () => parseConfiguration(document), 'ERR_USAGE', /already parsed/);
});

const examples = sources('examples', /\/config\.json$|\/sample-\w+\.json$/);

test('accepts every example', () => {
  assert.ok(examples.length > 40);
  for (const { path, content } of examples) assert.type(plainOf(path, content), 'object');
});

const plainOf = (path: string, content: string): unknown => {
  const value: unknown = JSON.parse(stringifyExact(parsed(content)));
  assert.ok(parseConfiguration(value) === value, path);
  return value;
};

test.run();
