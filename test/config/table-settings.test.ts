import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type OutputNaming, tableNotice } from '../../src/config/table-settings.js';
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

test('mappings warn; other settings of tables do not', () => {
  const config = { incrementalOutput: true, compatLevel: '2', outputBucket: 'x', id: 'y' };
  assert.equal(warningsOf(documentOf({ config })), []);
  assert.equal(warningsOf(documentOf({ config: { ...config, mappings: { users: { id: 'id' } } } })), [
    'config.mappings: describes tables, which rxtract does not write: items stay unchanged',
  ]);
});

test('one notice names the settings that have no effect, of all iterations', () => {
  const settings = [{ keys: ['outputBucket', 'mappings'] }, { keys: ['id', 'outputBucket', 'compatLevel'] }];
  const named = (naming: OutputNaming) => tableNotice(settings, naming)?.message.replace('keys of config: ', '');
  const useless = 'describe tables and have no effect here: "compatLevel"';
  assert.is(
    named('dataType'),
    `only used for file names in a data folder (\`--data-dir\`): "outputBucket", "id"; ${useless}`,
  );
  assert.is(named('bucket.dataType'), useless);
  assert.is(tableNotice([{ keys: ['mappings'] }], 'dataType'), undefined);
});

test.run();
