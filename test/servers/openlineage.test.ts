/**
 * Events against the schemas that OpenLineage publishes, in the folder `spec` of its repository: RXTRACT_OPENLINEAGE.
 * They are not in this repository.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shapeOfItem } from '../../sinks/shape/observe.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { RunDescription } from '../../src/http/observer.js';
import { endOf, type RunEvent, startOf } from '../../src/run/lineage/lineage-events.js';
import { testWhere } from '../where.js';

const folder = process.env.RXTRACT_OPENLINEAGE;

/** What an event breaks, of its own schema and of those of its facets. */
function createValidator(spec: string) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat('uuid', /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/);
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);
  ajv.addFormat('uri', (text) => URL.canParse(text));
  const files = [
    join(spec, 'OpenLineage.json'),
    ...readdirSync(join(spec, 'facets')).map((name) => join(spec, 'facets', name)),
  ];
  for (const file of files.filter((name) => name.endsWith('.json')))
    ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')));
  const wrong = (value: unknown, schema: string) =>
    ajv.validate(schema, value) ? [] : [`${schema}: ${ajv.errorsText(ajv.errors)}`];
  return (event: RunEvent): readonly string[] => {
    const datasets = [...event.inputs, ...event.outputs];
    const all = [
      event.run.facets,
      event.job.facets,
      ...datasets.flatMap(({ facets = {}, outputFacets = {} }) => [facets, outputFacets]),
    ];
    const facets = all.flatMap((each) => Object.values(each));
    return [...wrong(event, event.schemaURL), ...facets.flatMap((each) => wrong(each, each._schemaURL))];
  };
}

const item = Buffer.from('{"id":1,"name":null,"tags":[{"a":"b"}],"when":"2026-11-27"}');
const description: RunDescription = {
  inputs: ['https://api.example.com/v1/users'],
  outputs: () => [{ sink: 'ndjson:out', name: 'out/users.ndjson', dataType: 'users', items: 1, bytes: 60, size: 20 }],
  shapes: () => new Map([['users', shapeOfItem({ bytes: item, offsets: Uint32Array.of(0, item.length) }, 0)]]),
};
const run = {
  runId: '0190e8e2-1c4b-7d3e-9a2f-3b6c5d4e8f10',
  namespace: 'n',
  job: 'j',
  description,
  mask: String,
};

const missing = folder === undefined ? 'RXTRACT_OPENLINEAGE names no folder' : undefined;

testWhere(missing)('events and their facets are valid by the published schemas', () => {
  const findings = createValidator(String(folder));
  const events = [
    startOf(run, 0),
    endOf(run, 1, undefined),
    endOf(run, 1, new ExtractError('ERR_ABORTED', 'interrupted')),
    endOf(run, 1, new Error('why')),
  ];
  assert.equal(
    events.map(({ eventType }) => eventType),
    ['START', 'COMPLETE', 'ABORT', 'FAIL'],
  );
  assert.equal(events.flatMap(findings), []);
  const [start] = events;
  assert.is.not(findings({ ...start, run: { ...start?.run, runId: 'no uuid' } } as RunEvent).length, 0);
});

test.run();
