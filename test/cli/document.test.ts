import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseArguments } from '../../src/cli/arguments.js';
import { readDocument } from '../../src/cli/document.js';
import { ExtractError, remedyFor } from '../../src/core/errors/errors.js';
import { stringifyExact } from '../../src/core/json/exact.js';
import type { Notice } from '../../src/core/model/notice.js';
import { jobRows } from '../../src/run/run-options.js';
import { prepare } from '../../src/tools/text/errors.js';
import { fakeShell } from './fake-shell.js';

const options = { strict: jobRows.strict };

function read(words: readonly string[], stdin = '') {
  const notices: Notice[] = [];
  const document = readDocument(
    parseArguments(words, options),
    fakeShell({ stdin }),
    (notice) => void notices.push(notice),
  );
  return { notices, document };
}

async function failureOf(promise: Promise<unknown>): Promise<ExtractError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof ExtractError)) throw new Error(`expected an ExtractError, found ${thrown}`);
  return thrown;
}

const directory = await mkdtemp(join(tmpdir(), 'rxtract-'));
await writeFile(join(directory, 'good.json'), '\u{FEFF}{"n": 1.0} // why');
await writeFile(join(directory, 'empty.json'), ' \n');
await mkdir(join(directory, 'folder.json'));
test.after(() => rm(directory, { recursive: true }));

test('a file is read exactly, with comments and a byte-order mark', async () => {
  const path = join(directory, 'good.json');
  const { label, content } = await read([path]).document;
  assert.is(label, path);
  assert.is(stringifyExact(content), '{"n":1.0}');
});

test('- is standard input', async () => {
  const { label, content } = await read(['-'], '{"n": 12345678901234567890}').document;
  assert.is(label, 'standard input');
  assert.is(stringifyExact(content), '{"n":12345678901234567890}');
});

const unreadable = [
  ['missing.json', /missing\.json: cannot be read: no such file or directory \(ENOENT\)$/, /file\. `rxtract init URL`/],
  [
    'folder.json',
    /folder\.json: cannot be read: .*directory \(EISDIR\)$/,
    /^Check the path: it must be a readable file\.$/,
  ],
  ['empty.json', /empty\.json: the file is empty$/, /./],
] as const;

for (const [name, message, remedy] of unreadable) {
  test(`${name} is ERR_CONFIG_SYNTAX with its path`, async () => {
    const error = await failureOf(read([join(directory, name)]).document);
    assert.is(error.code, 'ERR_CONFIG_SYNTAX');
    assert.match(error.message, message);
    assert.match(remedyFor(error), remedy);
  });
}

test('a broken document is shown by line and column, never quoted', async () => {
  const error = await failureOf(read(['-'], '{"#password": hush}').document);
  assert.is(error.code, 'ERR_CONFIG_SYNTAX');
  assert.match(error.message, /^standard input:1:\d+: /);
  assert.not.match(error.message, /hush/);
});

for (const text of ['[]', '"hush"', 'null', '7']) {
  test(`${text} is no configuration`, async () => {
    const error = await failureOf(read(['-'], text).document);
    assert.equal(
      [error.code, error.message],
      ['ERR_CONFIG', 'standard input: expected an object with "api" and "config"'],
    );
  });
}

test('a repeated member is a warning, and an error under --strict', async () => {
  const text = '{"a": 1, "a": 2}';
  const { notices, document } = read(['-'], text);
  assert.is(stringifyExact((await document).content), '{"a":2}');
  assert.equal(
    notices.map(({ level, code }) => `${level} ${code}`),
    ['warning duplicate-key'],
  );
  assert.is((await failureOf(read(['-', '--strict'], text).document)).code, 'ERR_STRICT');
});

for (const words of [[], ['a.json', 'b.json']]) {
  test(`${words.length} configurations are a wrong command line`, async () => {
    assert.is((await failureOf(read(words).document)).code, 'ERR_USAGE');
  });
}

test('an error that lists faults begins with the name of the configuration', async () => {
  const problems = [{ path: 'api', message: 'required' }];
  const check = (error: Error) =>
    failureOf(
      prepare('c.json', () => {
        throw error;
      }),
    );
  const counted = await check(new ExtractError('ERR_CONFIG', 'api: required', { problems }));
  assert.equal([counted.message, counted.problems], ['c.json: 1 problem', problems]);
  assert.is((await check(new ExtractError('ERR_CONFIG', 'no good'))).message, 'c.json: no good');
  assert.is((await check(new ExtractError('ERR_USAGE', 'no job'))).message, 'no job');
});

test.run();
