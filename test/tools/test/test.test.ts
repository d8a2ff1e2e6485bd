/** `rxtract test`: cases that pass, and each way in which one can fail. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { filesIn, inTemporary } from '../../blackbox/command.js';
import { json } from '../../loopback/api.js';
import { put, recordCase, testCases, testHere } from './lib.js';

test('a case is recorded, updated, and passes from then on', () =>
  inTemporary(async (root) => {
    const folder = await recordCase(root, 'users');
    const before = await testCases(root);
    assert.is(before.exit, 1);
    assert.match(before.stdout, 'DIR/users/expected has no expected items\n    rxtract test DIR --update writes them.');
    assert.match(before.stderr, /Write their items as the expected ones, .*: `rxtract test DIR --update`\n$/);
    assert.match((await testCases(root, ['--filter', 'use'])).stderr, '`rxtract test DIR --filter use --update`');
    const update = await testCases(root, ['--update']);
    assert.is(update.exit, 0, update.stderr);
    assert.is(
      update.stdout,
      'ok    users  2 requests, 3 items, N s\n  wrote DIR/users/expected/users.ndjson: 3 items\n  wrote DIR/users/expected/jobs.json\n\n1 case: 1 passed, 0 failed, 0 skipped (N s)\n',
    );
    assert.equal(await filesIn(join(folder, 'expected')), {
      'jobs.json': '{\n  "users": {"requests":2,"retries":0,"pages":2,"items":3}\n}\n',
      'users.ndjson': '{"id":1,"name":"Ada"}\n{"id":2,"name":"Bob","tags":["a"]}\n{"id":3,"name":"Cyd","big":1}\n',
    });
    const after = await testCases(root);
    assert.equal([after.exit, after.stderr], [0, '']);
    assert.is(after.stdout, 'ok    users  2 requests, 3 items, N s\n\n1 case: 1 passed, 0 failed, 0 skipped (N s)\n');
    assert.is((await testCases(root, ['--update'])).stdout, after.stdout);
  }));

test('items and counts that differ are shown by member, all in one report, and update lists what it changes', () =>
  inTemporary(async (root) => {
    const folder = await recordCase(root, 'a/users');
    await put(
      folder,
      'expected/users.ndjson',
      '{"name":"Ada","id":1}\n\n{"id":2,"name":"Rob","tags":["a","b"]}\n{"id":3,"name":"Cyd","big":1.0}\n{"id":4}\n',
    );
    await put(folder, 'expected/jobs.json', '{"users":{"requests":3,"pages":2},"orders":{"items":1}}');
    await put(folder, 'expected/orders.ndjson', '{"id":1}\n');
    const { exit, stdout, stderr } = await testCases(root);
    assert.is(exit, 1);
    assert.is(
      stdout,
      [
        'FAIL  a/users  2 requests, 3 items, N s',
        '  DIR/a/users/expected/users.ndjson: item 2 differs',
        '    - name: "Rob"',
        '    + name: "Bob"',
        '    - tags[1]: "b"',
        '  DIR/a/users/expected/users.ndjson: item 3 differs',
        '    - big: 1.0',
        '    + big: 1',
        '  DIR/a/users/expected/users.ndjson: item 4 is missing',
        '    - {"id":4}',
        '  DIR/a/users/expected/users.ndjson: 4 items expected, 3 items found',
        '  DIR/a/users/expected/jobs.json: other counts',
        '    - users.requests: 3',
        '    + users.requests: 2',
        '    - orders.items: 1',
        '  DIR/a/users/expected/orders.ndjson has 1 item, and the run has none of that data type',
        '',
        '- expected, + found',
        '1 case: 0 passed, 1 failed, 0 skipped (N s)',
        '',
      ].join('\n'),
    );
    assert.match(stderr, 'error: 1 of 1 case failed: a/users\n  code     ERR_TEST\n');
    assert.match(stderr, 'Undo the change to the configuration.');
    const update = await testCases(root, ['--update']);
    assert.match(update.stdout, 'changed DIR/a/users/expected/users.ndjson: 3 items (4 items before)');
    assert.match(update.stdout, 'changed DIR/a/users/expected/jobs.json\n');
    assert.match(update.stdout, 'removed DIR/a/users/expected/orders.ndjson');
    assert.is((await testCases(root)).exit, 0);
  }));

test('a failed case does not stop the others, and several run at a time', () =>
  inTemporary(async (root) => {
    for (const name of ['one', 'two', 'three']) await recordCase(root, name);
    await testCases(root, ['--update']);
    await put(join(root, 'three'), 'expected/users.ndjson', 'nothing\n');
    const { exit, stdout } = await testCases(root);
    assert.is(exit, 1);
    assert.equal(stdout.match(/^(ok|FAIL) +\w+/gm), ['ok    one', 'FAIL  three', 'ok    two']);
    assert.match(stdout, 'expected/users.ndjson:1: no item: ');
    const filtered = await testCases(root, ['--filter', 'one', '--filter', 'two']);
    assert.equal([filtered.exit, filtered.stdout.match(/^ok +\w+/gm)], [0, ['ok    one', 'ok    two']]);
    const misspelt = await testCases(root, ['--filter', 'thre']);
    assert.is(misspelt.exit, 1);
    const unknown = await testCases(root, ['--filter', 'tree']);
    assert.match(unknown.stderr, '--filter tree: no case has that in its name; did you mean "three"?');
    assert.match((await testCases(root, ['--filter', 'zzzzzz'])).stderr, 'there are one, three, two');
  }));

test('an exchange that is left over fails, unless it is allowed', () =>
  inTemporary(async (root) => {
    const folder = await recordCase(root, 'users');
    const text = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
    text.api.pagination.limit = 3;
    await put(folder, 'config.json', JSON.stringify(text));
    const changed = await testCases(root, ['--update']);
    assert.match(changed.stdout, 'limit=3: DIR/users/recording.jsonl has no such request');
    assert.match(changed.stdout, /The nearest one is GET .*page=1/);
    text.api.pagination.limit = 2;
    await put(folder, 'config.json', JSON.stringify(text));
    await put(folder, 'case.json', '{ "maxPages": 1 }');
    const left = await testCases(root, ['--update']);
    assert.is(left.exit, 1);
    assert.match(
      left.stdout,
      /recording.jsonl: 1 exchange that no request of the run asked for\n {4}- GET .*users\?page=2/,
    );
    await put(folder, 'case.json', '{ "maxPages": 1, "unused": "allow" }');
    assert.is((await testCases(root)).exit, 0);
  }));

test('a failure that is expected passes, another one does not', () =>
  inTemporary(async (root) => {
    const folder = await recordCase(root, 'refused', {
      answer: () => json({}, { status: 403, body: 'no access' }),
      exit: 1,
    });
    const open = await testCases(root);
    assert.match(open.stdout, /failed with status 403: no access\n {4}job {6}users\n/);
    assert.match(open.stdout, 'code     ERR_STATUS\n    Check the credentials');
    await put(folder, 'case.json', '{ "error": "ERR_STATUS" }');
    assert.is((await testCases(root)).exit, 0);
    await put(folder, 'case.json', '{ "error": { "code": "ERR_JSON", "message": "no accessories" } }');
    const other = await testCases(root);
    assert.match(
      other.stdout,
      'the run failed in another way\n    - ERR_JSON\n    + ERR_STATUS\n    - no accessories\n    + GET http',
    );
    await recordCase(root, 'fine', { settings: { error: { code: 'ERR_STATUS', message: 'x' } } });
    assert.match((await testCases(root, ['--filter', 'fine'])).stdout, 'the run succeeded, and ERR_STATUS is expected');
  }));

test('settings change the run: variables, --set, jobs, select, limits, state, time', () =>
  inTemporary(async (root) => {
    const settings = {
      env: { TOKEN: 'not-the-real-token' },
      set: ['config.jobs[0].userData.more=1'],
      jobs: ['users'],
      select: ['id, at, since, more, token'],
      maxItems: 9,
      state: { time: { previousStart: 86400 } },
      time: '2026-01-31T12:00:00Z',
      expected: '../items',
    };
    const at = { function: 'date', args: ['Y-m-d H:i', { time: 'currentStart' }] };
    const since = { function: 'date', args: ['Y-m-d', { time: 'previousStart' }] };
    const folder = await recordCase(root, 'set', {
      job: { userData: { at, since, token: { env: 'TOKEN' } } },
      env: { TOKEN: 'the-real-token' },
      settings,
    });
    assert.not.ok((await readFile(join(folder, 'recording.jsonl'), 'utf8')).includes('the-real-token'));
    const { exit, stderr, stdout } = await testCases(root, ['--update']);
    assert.is(exit, 0, stderr + stdout);
    const { 'users.ndjson': items } = await filesIn(join(root, 'items'));
    assert.match(
      items ?? '',
      '{"id":1,"at":"2026-01-31 12:00","since":"1970-01-02","more":1,"token":"not-the-real-token"}\n',
    );
    const shown = await testCases(root);
    assert.is(shown.exit, 0);
    await put(root, 'items/users.ndjson', (items ?? '').replace('not-the-real-token', 'x'));
    assert.match((await testCases(root)).stdout, '- token: "x"\n    + token: "***"');
  }));

test('"minItems" fails a case with fewer items, which "error" can expect', () =>
  inTemporary(async (root) => {
    const folder = await recordCase(root, 'users');
    await testCases(root, ['--update']);
    await put(folder, 'case.json', '{ "minItems": { "users": 1000 } }');
    const few = await testCases(root);
    assert.is(few.exit, 1);
    assert.match(few.stdout, /"users" has \d+ items in this run: at least 1000 are required[\s\S]*ERR_MIN_ITEMS/);
    await put(folder, 'case.json', '{ "minItems": 1000, "error": "ERR_MIN_ITEMS" }');
    assert.is((await testCases(root)).exit, 0);
    await put(folder, 'case.json', '{ "minItems": 1 }');
    assert.is((await testCases(root)).exit, 0);
  }));

test('no variable of the machine is seen: a case needs none', () =>
  inTemporary(async (root) => {
    await recordCase(root, 'users', { job: { params: { key: { env: 'API_KEY' } } }, env: { API_KEY: 'abcdefgh' } });
    assert.is((await testCases(root, ['--update'])).exit, 0);
  }));

test('a warning is shown, and fails with --strict or "strict"', () =>
  inTemporary(async (root) => {
    const folder = await recordCase(root, 'empty', { answer: () => json({ dta: [] }), job: { dataField: 'data' } });
    const shown = await testCases(root);
    assert.is(shown.exit, 0);
    assert.match(shown.stdout, /\n {2}warning: users, page 1: .*did you mean "dta"\?.*\[\S+\]\n/);
    assert.match((await testCases(root, ['--strict'])).stdout, 'ERR_STRICT');
    await put(folder, 'case.json', '{ "strict": true }');
    assert.is((await testCases(root)).exit, 1);
  }));

test('a case can be left out', () =>
  inTemporary(async (root) => {
    await recordCase(root, 'users', { settings: { skip: 'the API is changing' } });
    const { exit, stdout } = await testCases(root);
    assert.equal([exit, stdout.split('\n')[0]], [0, 'skip  users  the API is changing']);
  }));

const broken: readonly [settings: string, message: string][] = [
  ['{ "recordng": "x" }', 'DIR/c/case.json: recordng: unknown; did you mean "recording"?'],
  ['{ "zzzzzz": 1 }', 'DIR/c/case.json: zzzzzz: unknown: expected config, recording, '],
  ['{ "config": "other.json" }', 'DIR/c/case.json: config: there is no file DIR/c/other.json'],
  ['{ "recording": "" }', 'DIR/c/case.json: recording: expected a non-empty string, found an empty string'],
  ['{ "set": ["a", 1] }', 'DIR/c/case.json: set[1]: expected a string, found a number'],
  ['{ "jobs": "users" }', 'DIR/c/case.json: jobs: expected a list of texts, found a string'],
  ['{ "env": { "A": 1 } }', 'DIR/c/case.json: env.A: expected a string, found a number'],
  ['{ "maxPages": 0 }', 'DIR/c/case.json: maxPages: expected a whole number from 1 up, found a number'],
  [
    '{ "minItems": "x" }',
    'DIR/c/case.json: minItems: expected a whole number from 0 up, or an object whose values are',
  ],
  [
    '{ "minItems": {"users": -1} }',
    'DIR/c/case.json: minItems.users: expected a whole number from 0 up, found a negative number',
  ],
  ['{ "state": [] }', 'DIR/c/case.json: state: expected an object, found an empty list'],
  ['{ "time": "today" }', 'DIR/c/case.json: time: expected a time such as "2026-01-31T00:00:00Z", found a string'],
  [
    '{ "error": "ERR_STATU" }',
    'error: expected a code that `rxtract help errors` lists, found a string; did you mean "ERR_STATUS"?',
  ],
  [
    '{ "error": { "cod": "ERR_STATUS" } }',
    'error: expected a code such as "ERR_STATUS", or an object with code and message',
  ],
  ['{ "error": { "code": "ERR_STATUS", "message": 1 } }', 'error: expected a code such as "ERR_STATUS", or an object'],
  ['{ "unused": "warn" }', 'DIR/c/case.json: unused: expected "fail" or "allow", found a string'],
  ['{ "strict": "yes" }', 'DIR/c/case.json: strict: expected true or false, found a string'],
  ['[]', 'DIR/c/case.json: expected an object, found an empty list'],
  ['{ "a"', 'DIR/c/case.json:1:'],
  ['{ "set": ["api.baseUrl"] }', '--set expects PATH=VALUE'],
  ['{ "jobs": ["user"] }', 'did you mean "users"?'],
];

test('settings that are wrong name file and member, and the case fails alone', () =>
  inTemporary(async (root) => {
    const folder = await recordCase(root, 'c');
    await recordCase(root, 'd');
    await testCases(root, ['--update']);
    for (const [settings, message] of broken) {
      await put(folder, 'case.json', settings);
      const { exit, stdout } = await testCases(root);
      assert.is(exit, 1);
      assert.ok(stdout.includes(message), `${message}\n${stdout}`);
      assert.match(stdout, 'ok    d');
    }
  }));

test('missing files are named, with the nearest one', () =>
  inTemporary(async (root) => {
    const folder = await recordCase(root, 'c');
    await testCases(root, ['--update']);
    const recording = await readFile(join(folder, 'recording.jsonl'));
    await rm(join(folder, 'recording.jsonl'));
    assert.match(
      (await testCases(root)).stdout,
      'c/recording.jsonl: there is no such file; add it, or name another one in case.json',
    );
    await writeFile(join(folder, 'recordings.jsonl'), recording);
    assert.match((await testCases(root)).stdout, 'there is no such file; did you mean "recordings.jsonl"?');
    await put(folder, 'case.json', '{ "recording": "recordings.jsonl" } // and a comment');
    assert.is((await testCases(root)).exit, 0);
    await put(folder, 'recordings.jsonl', 'no recording\n');
    assert.match((await testCases(root)).stdout, 'recordings.jsonl: is no recording');
    await put(folder, 'config.json', '{ "api": }');
    assert.match((await testCases(root)).stdout, 'c/config.json:1:');
    await rm(join(folder, 'config.json'));
    assert.match((await testCases(root)).stdout, 'c/config.json: there is no such file');
  }));

test('a folder that is a case itself has its own name; a folder without a case is an error', () =>
  inTemporary(async (root) => {
    const folder = await recordCase(root, 'alone', { answer: () => json([]) });
    assert.match((await testHere([folder])).stdout, /^ok {4}alone {2}1 request, 0 items/);
    const twice = await testHere([folder, folder]);
    assert.match(twice.stdout, '1 case: 1 passed');
    await put(root, 'none/config.json', '{}');
    const none = await testHere([join(root, 'none')]);
    assert.match(none.stderr, 'none has no case: a case is a folder with config.json and recording.jsonl');
    assert.match((await testHere([join(root, 'nowhere')])).stderr, 'nowhere: cannot be read: no such file');
    assert.match((await testHere([])).stderr, 'DIR is missing: the folder with the cases, such as test/cases');
  }));

for (const [words, message] of [
  [['--at-once', '0'], '--at-once is a whole number from 1 to 64, found "0"'],
  [['--at-once', '65'], '--at-once is a whole number from 1 to 64, found "65"'],
  [['--timeout', 'x'], '--timeout is a time such as 90s, 10m or 1h30m, found "x"'],
  [['--out', ''], '--out needs a file'],
  [['--format', 'xml'], '--format is text, tap or junit, found "xml"'],
] as const) {
  test(`${words.join(' ')} is refused`, async () => {
    const { exit, stderr } = await testHere(['.', ...words]);
    assert.is(exit, 1);
    assert.match(stderr, message);
  });
}

test.run();
