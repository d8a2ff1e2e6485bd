/** `--on-item-error`: what becomes of items that a destination refuses, from the command line. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere } from '../blackbox/command.js';
import { type Api, json, startApi } from '../loopback/api.js';
import { inFolder } from '../sinks/lib.js';

interface Lent {
  readonly api: Api;
  readonly document: string;
  readonly to: string;
  readonly arrived: () => readonly string[];
}

/** Lends an API with two pages, and a receiver that refuses an item of each. */
async function withReceiver(work: (lent: Lent) => Promise<void>): Promise<void> {
  const api = await startApi(({ target }) => {
    const page = Number(/page=(\d)/.exec(target)?.[1] ?? 1);
    return json(page > 2 ? [] : [0, 1].map((n) => ({ id: page * 2 + n })));
  });
  const receiver = await startApi(({ body }) => ({
    status: /[35]/.test(body) ? 422 : 204,
    body: 'key of-secret is wrong',
  }));
  const document = JSON.stringify({
    api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum', limit: 2 } },
    config: { jobs: [{ endpoint: 'users' }] },
  });
  const arrived = () => receiver.requests.map(({ body }) => body.trim()).filter((body) => !/[35]/.test(body));
  try {
    await work({ api, document, to: `${receiver.origin}/#header.X-Key=\${KEY}`, arrived });
  } finally {
    await Promise.all([api.close(), receiver.close()]);
  }
}

const env = { KEY: 'of-secret' };

test('dead letters go to their address, also after an interruption', () =>
  withReceiver(({ document, to, arrived }) =>
    inFolder(async (dir) => {
      const state = ['--state', join(dir, 'state'), '--log', 'json'];
      const failed = await commandHere(['run', '-', '--to', to, ...state], { stdin: document, env });
      assert.is(failed.exit, 1);
      assert.match(failed.stderr, 'status 422');
      const words = ['run', '-', '--to', to, ...state, '--on-item-error', `dead-letter=ndjson:${dir}/letters`];
      const { exit, stderr } = await commandHere([...words, '--resume'], { stdin: document, env });
      assert.is(exit, 0, stderr);
      assert.equal(arrived(), ['{"id":2}', '{"id":4}']);
      const lines = readFileSync(join(dir, 'letters', 'users.ndjson'), 'utf8')
        .trim()
        .split('\n');
      assert.equal(
        lines.map((line) => [JSON.parse(line).item, JSON.parse(line).page, JSON.parse(line).offset]),
        [
          [{ id: 3 }, 0, 1],
          [{ id: 5 }, 1, 1],
        ],
      );
      for (const text of [stderr, ...lines]) assert.not.match(text, 'of-secret');
      const events = stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const { refused, refusedSinceResume, outputs } = events.at(-1);
      assert.is(refusedSinceResume, true);
      assert.equal([refused[0].items, refused[0].places.length, refused[0].places[1].page], [2, 2, 2]);
      assert.match(refused[0].places[0].error, /^gets status 422 from http:.*: key \*\*\* is wrong$/);
      assert.equal(outputs.at(-1).name, join(dir, 'letters', 'users.ndjson'));
      assert.is(events.filter(({ code }) => code === 'item-refused').length, 2);
    })(),
  ));

test('skipped items are named at the end', () =>
  withReceiver(async ({ document, to, arrived }) => {
    const words = ['run', '-', '--to', to, '--on-item-error', 'skip'];
    const { exit, stderr } = await commandHere(words, { stdin: document, env });
    assert.is(exit, 0, stderr);
    assert.equal(arrived(), ['{"id":2}', '{"id":4}']);
    assert.match(
      stderr,
      /refused 2 items in this process; the first: users, page 1, item 1: gets status 422 from http/,
    );
  }));

const faults: readonly (readonly [rule: string, message: RegExp])[] = [
  ['skp', /--on-item-error is fail, skip or dead-letter=URI, found "skp"; did you mean "skip"\?/],
  ['dead-leter=ndjson:x', /did you mean "dead-letter"\?/],
  ['dead-letter=', /dead-letter= needs an address/],
  ['dead-letter=ndjosn:x', /unknown sink "ndjosn:x"/],
  ['dead-letter=ndjson:out', /ndjson:out is a --to as well: dead letters need a sink of their own/],
  ['dead-letter=redis://:pw@localhost/0?stream=s', /password-in-arguments/],
  ['dead-letter=redis://:pw@localhost/1?stream=s', /instead: --on-item-error 'dead-letter=scheme:/],
];

for (const [rule, message] of faults) {
  test(`explains --on-item-error ${rule}`, () =>
    withReceiver(async ({ document, api }) => {
      const words = ['run', '-', '--to', 'ndjson:out', '--on-item-error', rule, '--strict'];
      const { exit, stderr } = await commandHere(words, { stdin: document, env });
      assert.equal([exit, api.requests.length], [1, 0], stderr);
      assert.match(stderr, message);
      const checked = await commandHere(['validate', ...words.slice(1)], { stdin: document, env });
      assert.is(checked.exit, 1);
      assert.match(checked.stderr, message);
    }));
}

test.run();
