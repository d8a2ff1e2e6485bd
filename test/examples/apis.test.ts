/** Replays the recording of each real API in examples/apis as a user would: without the API, a variable or a wait. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere, filesIn, inTemporary } from '../blackbox/command.js';

const folder = fileURLToPath(new URL('../../examples/apis', import.meta.url));
const names = readdirSync(folder).sort();
const read = (name: string, file: string): string => readFileSync(join(folder, name, file), 'utf8');

interface RecordedLine {
  readonly line: string;
  readonly exchange?: number;
  readonly status?: number;
}

const linesOf = (name: string): readonly RecordedLine[] =>
  read(name, 'recording.jsonl')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('there are fourteen', () => {
  const known = 'couchdb elasticsearch github gitlab graphql hubspot jira notion rabbitmq salesforce shopify slack';
  assert.equal(names, [...known.split(' '), 'stripe', 'zendesk']);
});

for (const name of names) {
  test(`${name} gives its expected items, uses its whole recording, and causes no warning`, () =>
    inTemporary(async (out) => {
      const [config, recording] = ['config.json', 'recording.jsonl'].map((file) => join(folder, name, file));
      const words = ['run', config ?? '', '--replay', recording ?? '', '--to', `ndjson:${out}`, '--strict'];
      const { exit, stderr } = await commandHere(words, { env: {} });
      assert.is(exit, 0, stderr);
      assert.equal(await filesIn(out), await filesIn(join(folder, name, 'expected')));
      const exchanges = linesOf(name).filter(({ line }) => line === 'request').length;
      assert.match(stderr, `replayed ${exchanges} exchanges from`);
      assert.not.match(stderr, / not used|warning:/);
    }));

  test(`${name} has several pages, and its page says what to set and what comes out`, () => {
    const answered = linesOf(name).filter(({ line, status = 0 }) => line === 'response' && status < 300);
    assert.ok(answered.length >= 2, `${answered.length} responses`);
    const page = read(name, 'README.md');
    const variables = [...read(name, 'config.json').matchAll(/"env": "(\w+)"/g)].map(([, variable = '']) => variable);
    const dataTypes = readdirSync(join(folder, name, 'expected')).map((file) => file.replace('.ndjson', ''));
    assert.ok(variables.length > 0);
    for (const each of [...variables, ...dataTypes]) assert.ok(page.includes(`\`${each}\``), each);
  });
}

test('most of them wait for a rate limit or repeat a request that failed', () => {
  const failing = names.filter((name) => linesOf(name).some(({ status = 0 }) => status >= 400));
  assert.ok(failing.length >= 12, failing.join(' '));
});

test.run();
