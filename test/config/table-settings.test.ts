import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tableNotices } from '../../src/config/table-settings.js';
import { fromPlain } from '../../src/core/json/exact.js';
import { configOf, documentOf, problemsOf, warningsOf } from './fakes.js';

const wrong = [
  [{ debug: 'loud' }, 'config.debug: expected true or false, found a string'],
  [{ debug: {} }, undefined],
  [{ debug: [1] }, 'config.debug: expected true or false, found a list'],
  [{ outputBucket: ['x'] }, 'config.outputBucket: expected a string, found a list'],
  [{ outputBucket: { attr: 'x' } }, 'config.outputBucket: expected a string, found an object'],
  [{ id: true }, 'config.id: expected a string, found true or false'],
  [{ incrementalOutput: 2 }, 'config.incrementalOutput: expected true or false, found a number'],
  [{ incrementalOutput: 'false' }, 'config.incrementalOutput: expected true or false, found a string'],
  [{ mappings: 'x' }, 'config.mappings: expected an object, found a string'],
  [{ compatLevel: 4 }, 'config.compatLevel: expected 1, 2 or 3, found a number'],
  [{ compatLevel: 'old' }, 'config.compatLevel: expected 1, 2 or 3, found a string'],
] as const;

for (const [config, problem] of wrong) {
  test(`${JSON.stringify(config)} ${problem === undefined ? 'counts as absent' : `: ${problem}`}`, () => {
    assert.equal(problemsOf(documentOf({ config })), problem === undefined ? [] : [problem]);
  });
}

test('a problem in an iteration is reported there', () => {
  const document = new Map([...documentOf({}), ['iterations', fromPlain([{ compatLevel: 9 }])] as const]);
  assert.equal(problemsOf(document), ['iterations[0].compatLevel: expected 1, 2 or 3, found a number']);
});

for (const [debug, is] of [
  [true, true],
  [1, true],
  ['1', true],
  ['true', true],
  ['false', false],
  [0, false],
  ['', false],
  [null, false],
] as const) {
  test(`debug ${JSON.stringify(debug)} is ${is}`, () => assert.is(configOf({ config: { debug } }).debug, is));
}

const buckets = [
  [{}, {}, undefined],
  [{ outputBucket: 'shop', id: 'x' }, {}, 'shop'],
  [{ outputBucket: 12 }, {}, '12'],
  [{ id: 7 }, {}, 'ex-api-generic-7'],
  [{ id: 'x' }, { name: 'crm' }, 'ex-api-crm-x'],
  [{ id: '0', outputBucket: '' }, { name: 'crm' }, undefined],
] as const;

for (const [config, api, bucket] of buckets) {
  test(`the bucket of ${JSON.stringify({ ...api, ...config })} is ${bucket}`, () => {
    assert.is(configOf({ config, api }).tables.bucket, bucket);
  });
}

const wrongMappings = [
  [{ users: {} }, 'config.mappings.users: needs at least one column'],
  [{ users: [1] }, 'config.mappings.users: expected an object, found a list'],
  [{ users: { id: {} } }, 'config.mappings.users.id.mapping.destination: is missing: it is the name of the column'],
  [{ users: { id: { type: 'date' } } }, /users\.id\.type: expected .*column/],
  [{ users: { t: { type: 'table', tableMapping: { id: 'id' } } } }, /users\.t\.destination: is missing/],
  [{ users: { t: { type: 'table', destination: 'x' } } }, /users\.t\.tableMapping: is missing/],
  [{ users: { t: { type: 'table', destination: 'users' } } }, /parentKey\.disable: must be true/],
  [{ users: { a: 'x', b: 'x' } }, 'config.mappings.users: has two columns "x": give one another destination'],
  [{ '../users': { a: 'x' } }, /cannot be the name of a file/],
  [
    { users: { t: { type: 'table', destination: 'tag', tableMapping: { '.': 'users_pk' } } } },
    'config.mappings.users.t.tableMapping: has two columns "users_pk": give one another destination',
  ],
] as const;

for (const [mappings, problem] of wrongMappings) {
  test(`mappings ${JSON.stringify(mappings)}: ${problem}`, () => {
    const [found = '', ...others] = problemsOf(documentOf({ config: { mappings } }));
    assert.equal(others, []);
    if (typeof problem === 'string') assert.is(found, problem);
    else assert.match(found, problem);
  });
}

test('a misspelt key of a mapping is a warning with the right one', () => {
  const mappings = { users: { id: { maping: { destination: 'x' }, mapping: { destination: 'id' } } } };
  const [warning = ''] = warningsOf(documentOf({ config: { mappings } }));
  assert.match(warning, /mappings\.users\.id\.maping.*"mapping"/);
});

const settingsOf = (...keys: readonly string[]) => ({ keys, mappings: new Map(), isIncremental: false, level: 3 });

test('mappings are a warning for a run without tables', () => {
  const [notice, ...others] = tableNotices([settingsOf('mappings')], { outputNames: 'dataType', hasTables: false });
  assert.equal(others, []);
  assert.equal([notice?.level, notice?.code], ['warning', 'mappings-not-used']);
  assert.equal(tableNotices([settingsOf('mappings', 'compatLevel')], { outputNames: 'dataType', hasTables: true }), []);
});

test('one notice names the settings that have no effect, of all iterations', () => {
  const settings = [settingsOf('outputBucket'), settingsOf('id', 'outputBucket', 'compatLevel')];
  const named = (outputNames: 'dataType' | 'bucket.dataType') =>
    tableNotices(settings, { outputNames, hasTables: false }).map(({ message }) => message.replace(/^.*?: /, ''));
  const useless = 'describe tables and have no effect here: "compatLevel"';
  const files = 'only used for file names in a data folder (`--data-dir`): "outputBucket", "id"';
  assert.equal(named('dataType'), [`${files}; ${useless}`]);
  assert.equal(named('bucket.dataType'), [useless]);
});

test.run();
