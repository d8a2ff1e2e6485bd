/** Runs every example as the command does, against a server that demands its exchange in order. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere, filesIn, inTemporary, node, pool } from '../blackbox/command.js';
import { json, type Reply } from '../loopback/api.js';
import { mainOrigin, type Step, startReplay } from '../loopback/replay.js';

/** Stands in the examples for the address of the API. */
const written = 'http://localhost:8080';
/** A file that an example keeps, which each test has for itself. */
const kept = '"out/tokens.json"';
const examples = fileURLToPath(new URL('../../examples', import.meta.url));

interface Exchange {
  readonly request: {
    readonly method: string;
    readonly target: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  readonly response: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    /** A string as it is; other values as JSON. */
    readonly body?: unknown;
  };
}

const names = readdirSync(examples)
  .filter((name) => /^\d{3}-/.test(name))
  .sort();
const read = (name: string, file: string): string => readFileSync(join(examples, name, file), 'utf8');

/** The variables that an example is run with. */
const environmentOf = (name: string): Readonly<Record<string, string>> =>
  existsSync(join(examples, name, 'environment.json')) ? JSON.parse(read(name, 'environment.json')) : {};

const stepOf = ({ request, response }: Exchange): Step => ({
  request: `${request.method} ${request.target}`,
  ...(request.headers === undefined ? {} : { headers: request.headers }),
  ...(request.body === undefined ? {} : { body: request.body }),
  reply: replyOf(response),
});

function replyOf({ body, ...rest }: Exchange['response']): Reply {
  return typeof body === 'string' ? { ...rest, body } : json(body, rest);
}

const outcomes = pool(names, 2, (name) =>
  inTemporary(async (directory) => {
    const replay = await startReplay(JSON.parse(read(name, 'exchange.json')).map(stepOf));
    try {
      const file = join(directory, 'config.json');
      const config = read(name, 'config.json')
        .replaceAll(written, mainOrigin)
        .replaceAll(kept, JSON.stringify(join(directory, 'tokens.json')));
      await writeFile(file, replay.resolve(config));
      await mkdir(join(directory, 'out'));
      const places = ['--to', `ndjson:${directory}/out`, '--cache-dir', join(directory, 'cache')];
      const ended = await commandHere(['run', file, ...places, '--concurrency', '1'], { env: environmentOf(name) });
      return {
        ...ended,
        asked: replay.asked(),
        expected: replay.expected(),
        files: asWritten(await filesBelow(join(directory, 'out')), replay.resolve(mainOrigin)),
      };
    } finally {
      await replay.close();
    }
  }),
);

/** Those of its folders too: the files of items. */
async function filesBelow(folder: string): Promise<Readonly<Record<string, string>>> {
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const below = folders.map(async ({ name }) =>
    Object.entries(await filesIn(join(folder, name))).map(([file, text]) => [`${name}/${file}`, text] as const),
  );
  return { ...(await filesIn(folder)), ...Object.fromEntries((await Promise.all(below)).flat()) };
}

/** The files with the address of the examples in place of that of the server. */
const asWritten = (files: Readonly<Record<string, string>>, origin: string) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replaceAll(origin, written)]));

for (const [index, name] of names.entries()) {
  test(`${name} sends its requests in order and writes its expected output`, async () => {
    const outcome = await outcomes[index];
    assert.ok(outcome);
    assert.equal(outcome.asked.split('\n'), outcome.expected.split('\n'));
    assert.is(outcome.exit, 0, outcome.stderr);
    assert.equal(outcome.files, await filesBelow(join(examples, name, 'expected')));
  });
}

const suspicions =
  /items may be missing|data may be missing|may be duplicates|as if it were truncated|as if the API had a limit|declares a next page/;

test('no example is suspected of missing items', async () => {
  const suspected = (await Promise.all(outcomes)).flatMap(({ stderr }, index) =>
    suspicions.test(stderr) ? [`${names[index]}: ${stderr}`] : [],
  );
  assert.equal(suspected, []);
});

test('the tour pulls its sample API and shows the result', () =>
  inTemporary(async (directory) => {
    const { exit, stdout, stderr } = await node([join(examples, 'start.mjs')], { cwd: directory });
    assert.is(exit, 0, stderr);
    const files = await filesIn(join(directory, 'out'));
    const counts = Object.entries(files).map(([name, content]) => `${name} ${content.trimEnd().split('\n').length}`);
    assert.equal(counts, ['orders.ndjson 120', 'users.ndjson 47', 'visits.ndjson 75']);
    for (const name of Object.keys(files)) assert.ok(stdout.includes(name), name);
    assert.not(`${stdout}${stderr}`.includes('correct horse'));
  }));

test('an example can be tried: it is served, pulled and shown', () =>
  inTemporary(async (directory) => {
    const { exit, stdout, stderr } = await node([join(examples, 'example.mjs'), '036'], { cwd: directory });
    assert.is(exit, 0, stderr);
    assert.equal(
      await filesIn(join(directory, 'out', '036-children')),
      await filesIn(join(examples, '036-children', 'expected')),
    );
    for (const { request } of JSON.parse(read('036-children', 'exchange.json'))) {
      assert.ok(stdout.includes(`  ${request.method} ${request.target} 200\n`), request.target);
    }
    const lines = Object.values(await filesIn(join(examples, '036-children', 'expected'))).flatMap((file) =>
      file.trimEnd().split('\n'),
    );
    for (const line of lines) assert.ok(stdout.includes(line), line);
  }));

test('an example that there is not is answered with those that there are', async () => {
  for (const words of [[], ['nothing-like-it'], ['oauth2']]) {
    const { exit, stdout } = await node([join(examples, 'example.mjs'), ...words]);
    assert.is(exit, 1);
    assert.match(stdout, /Which one\?[\s\S]*036-children/);
  }
});

test('no two examples have the same number, and the page lists each', () => {
  const numbers = names.map((name) => Number(name.slice(0, 3)));
  assert.is(new Set(numbers).size, numbers.length);
  const page = readFileSync(join(examples, 'README.md'), 'utf8');
  for (const name of names) assert.ok(page.includes(`[${name}](${name}/config.json)`), name);
});

test.run();
