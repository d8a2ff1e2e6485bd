/** The entries of the catalogue: each passes as a case, walks pages to their end, meets an error, and has a head. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastValueFrom } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readEntry } from '../../docs/catalog.js';
import { memory } from '../../sinks/memory.js';
import { parseDocument } from '../../src/config/document.js';
import { applyAssignments } from '../../src/config/set.js';
import { type Exact, isArray, isNumber, isObject } from '../../src/core/json/exact.js';
import type { EngineExchanges, PageStep } from '../../src/http/exchanges.js';
import { replayExchanges } from '../../src/recording/replay.js';
import { replayEnvironment } from '../../src/recording/replay-environment.js';
import { extract } from '../../src/run/extract.js';
import { headLines } from '../../src/tools/catalog/entry-head.js';
import { findCases } from '../../src/tools/test/find-cases.js';
import { runCase } from '../../src/tools/test/run-case.js';
import { commandHere } from '../blackbox/command.js';

const folder = fileURLToPath(new URL('../../examples/apis', import.meta.url));
const names = readdirSync(folder).sort();
const read = (name: string, file: string): string => readFileSync(join(folder, name, file), 'utf8');
const document = (name: string) => parseDocument(read(name, 'config.json'), name);

/** Replays the recording. Returns what followed each page. */
async function stepsOf(name: string): Promise<readonly PageStep[]> {
  const [test] = await findCases([join(folder, name)]);
  const content = applyAssignments(document(name), test?.settings.set ?? []);
  const replay = (await replayExchanges(join(folder, name, 'recording.jsonl'))) as EngineExchanges;
  const steps: PageStep[] = [];
  const exchanges: EngineExchanges = { ...replay, onStep: (step) => steps.push(step) };
  try {
    const { env } = replayEnvironment(content, {});
    const { receipts, closed } = extract(content, { to: memory(), exchanges, env });
    await lastValueFrom(receipts, { defaultValue: undefined });
    await closed;
  } finally {
    await exchanges.close();
  }
  return steps;
}

for (const name of names) {
  test(`${name} gives its expected items, uses its whole recording, and causes no warning`, async () => {
    const cases = await findCases([join(folder, name)]);
    for (const each of cases) {
      const { outcome, problems } = await runCase(each, { update: false, strict: true });
      assert.is(outcome, 'passed', JSON.stringify(problems, null, 1));
    }
    const { exit, stderr } = await commandHere(['validate', join(folder, name, 'config.json'), '--strict'], {
      env: replayEnvironment(document(name), {}).env as Record<string, string>,
    });
    assert.is(exit, 0, stderr);
  });

  test(`${name} walks two pages or more to their end, and meets an error`, async () => {
    const ends = (await stepsOf(name)).filter(({ index, step }) => index > 0 && 'stop' in step);
    assert.ok(ends.length > 0, 'no walk of two pages ends by itself');
    const statuses = [...read(name, 'recording.jsonl').matchAll(/"line":"response".*?"status":(\d+)/g)];
    assert.ok(statuses.some(([, status]) => Number(status) >= 400));
    assert.ok(read(name, 'recording.jsonl').length < 12_000, 'a recording is small');
  });

  test(`the head of ${name} says what to set, its limits, its documentation and what is not proven`, () => {
    const text = read(name, 'config.json');
    const { vendor, title, settings, documentation, limits, notProven, pagination } = readEntry(name, text);
    assert.match(title, /^\w.*[^.]$/);
    for (const said of [vendor, limits, pagination]) assert.not.equal(said, '');
    assert.match(documentation, /^https:\/\/\S+$/);
    assert.match(notProven, /^not tried with the live API[.;]/);
    for (const line of headLines(text).slice(1))
      assert.match(line, /^(Set \S[^:]*|Scopes|Limits|Documentation|Not proven): \S/);
    const variables = [...text.matchAll(/"env": "(\w+)"/g)].map(([, variable = '']) => variable);
    for (const variable of variables)
      assert.ok(
        settings.some((line) => line.includes(variable)),
        variable,
      );
  });
}

test('no vendor has two entries', () => {
  const vendors = names.map((name) => readEntry(name, read(name, 'config.json')).vendor);
  assert.equal(
    vendors.filter((vendor, index) => vendors.indexOf(vendor) !== index),
    [],
  );
});

/** Members whose values are no names. */
const kept = new Set('method type grant scheme in rateLimit format encode step clientAuthentication'.split(' '));

/** What remains of a configuration without its names: no texts, and no names of parameters, headers and values. */
function shapeOf(value: Exact, key = ''): unknown {
  if (isNumber(value)) return String(value);
  if (typeof value === 'string') return kept.has(key) ? value : '';
  if (isArray(value)) return value.map((each) => shapeOf(each, key));
  if (!isObject(value)) return value;
  const isNamed = ['params', 'headers', 'placeholders', 'scrollers', 'userData', 'each', 'config'].includes(key);
  return [...value].map(([name, each]) => {
    const isName = isNamed && !(key === 'config' && name === 'jobs');
    return [isName ? '' : name, shapeOf(each, isName ? '' : name)];
  });
}

test('no two differ in names alone', () => {
  const shapes = names.map((name) => JSON.stringify(shapeOf(document(name))));
  const alike = names.flatMap((name, index) => {
    const first = shapes.indexOf(shapes[index] ?? '');
    return first === index ? [] : [`${names[first]} and ${name}`];
  });
  assert.equal(alike, []);
});

test.run();
