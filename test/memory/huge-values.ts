/**
 * One value of many megabytes in everything that commands show people, each in a small heap: what is shown is cut
 * before it is formatted. `npm test` has 4 MB, `npm run test:long` 100 MB.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, inTemporary, node, ownCommand } from '../blackbox/command.js';
import { rawJson, startApi } from '../loopback/api.js';

/** Values that differ in how they are cut: plain letters, wide ones, escapes, and marks that never end. */
const fills = { letters: 'x', wide: '顧', escapes: '\\u0041', marks: '\u0301' } as const;

export interface HugeSize {
  /** Of the value. */
  readonly bytes: number;
  /** Of one item: larger ones are an error. */
  readonly itemBytes: number;
  /** MB of the heap for commands that only show the value, and for those that hold it as a text of JavaScript. */
  readonly smallHeap: number;
  readonly largeHeap: number;
  /** What the values of the preview consist of. */
  readonly of: readonly (keyof typeof fills)[];
}

const displays = fileURLToPath(new URL('./show-huge.ts', import.meta.url));

/** Few and short lines, and no crash. */
function assertShown({ exit, stdout, stderr }: Ended, exits: number, pattern: RegExp): void {
  const lines = `${stdout}${stderr}`.split('\n');
  assert.is(exit, exits, stderr.slice(-2000));
  assert.match(`${stdout}${stderr}`, pattern);
  assert.ok(lines.length < 60, `${lines.length} lines`);
  assert.equal(
    lines.filter((line) => line.length > 10_100).map((line) => `${line.slice(0, 80)}: ${line.length}`),
    [],
  );
}

const heapOf = (megabytes: number) => ({ NODE_OPTIONS: `--max-old-space-size=${megabytes}` });

const bodyOf = (fill: string, bytes: number): Uint8Array =>
  Buffer.concat([
    Buffer.from('[{"id":1,"text":"'),
    Buffer.alloc(bytes - (bytes % Buffer.byteLength(fill)), fill),
    Buffer.from('","last":2},{"id":2,"text":"short"}]'),
  ]);

async function withApi<T>(body: Uint8Array, status: number, use: (config: string, folder: string) => Promise<T>) {
  const server = await startApi(() => ({ ...rawJson(body), status }));
  try {
    return await inTemporary(async (folder) => {
      const config = join(folder, 'config.json');
      await writeFile(config, configOf(`${server.origin}/`, { endpoint: 'users' }));
      return use(config, folder);
    });
  } finally {
    await server.close();
  }
}

const configOf = (baseUrl: string, job: object): string =>
  JSON.stringify({ api: { baseUrl, retryConfig: { maxRetries: 0 } }, config: { jobs: [job] } });

/** Registers the tests of one size. */
export function testHugeValues({ bytes, itemBytes, smallHeap, largeHeap, of }: HugeSize): void {
  for (const name of of) {
    test(`preview of a value of ${itemBytes} bytes of ${name}`, () =>
      withApi(bodyOf(fills[name], itemBytes), 200, async (config) => {
        const ended = await ownCommand(['preview', config], { env: heapOf(smallHeap) });
        assertShown(ended, 0, /\n {2}id +text +last\n {2}1 .*2\n {2}2 +short\n/);
      }));
  }

  test(`preview of a name of ${itemBytes} bytes`, () => {
    const body = Buffer.concat([Buffer.from('[{"'), Buffer.alloc(itemBytes, 'n'), Buffer.from('":1}]')]);
    return withApi(body, 200, async (config) => {
      assertShown(await ownCommand(['preview', config], { env: heapOf(smallHeap) }), 0, /n{20}… +integer/);
    });
  });

  for (const [name, args, exits, pattern] of [
    ['doctor', ['doctor', '--to', 'null:'], 1, /status 500:[\s\S]*x{20}/],
    ['an error of a run', ['run', '--to', 'null:'], 1, /status 500: .*x{20}/],
    ['an error of preview', ['preview'], 1, /status 500: .*x{20}/],
  ] as const) {
    test(`${name}: the body of an error has ${bytes} bytes`, () =>
      withApi(bodyOf('x', bytes), 500, async (config) => {
        const [command, ...others] = args;
        const ended = await ownCommand([command, config, ...others], { env: heapOf(smallHeap) });
        assertShown(ended, exits, pattern);
      }));
  }

  test(`doctor: a value of ${itemBytes} bytes`, () =>
    withApi(bodyOf('x', itemBytes), 200, async (config) => {
      const ended = await ownCommand(['doctor', config, '--to', 'null:'], { env: heapOf(smallHeap) });
      assertShown(ended, 0, /first page +\d.* 2 items/);
    }));

  for (const [name, job] of [
    ['parameter', { endpoint: 'users', params: { q: 'word and '.repeat(bytes / 9) } }],
    ['name of a parameter', { endpoint: 'users', params: { ['n'.repeat(bytes)]: 1 } }],
    ['data type', { endpoint: 'users', dataType: 'd'.repeat(bytes) }],
    ['unknown key', { endpoint: 'users', ['k'.repeat(bytes)]: 1 }],
  ] as const) {
    test(`plan: a ${name} of ${bytes} bytes`, () =>
      inTemporary(async (folder) => {
        const config = join(folder, 'config.json');
        await writeFile(config, configOf('https://api.example/', job));
        const ended = await ownCommand(['plan', config], { env: heapOf(largeHeap) });
        assertShown(ended, 0, /GET https:\/\/api\.example\/users/);
      }));
  }

  test(`test: two values of ${itemBytes} bytes differ`, () =>
    withApi(bodyOf('x', itemBytes), 200, async (config, folder) => {
      const recording = join(folder, 'recording.jsonl');
      const recorded = await ownCommand(['run', config, '--record', recording, '--to', 'null:']);
      assert.is(recorded.exit, 0, recorded.stderr);
      await mkdir(join(folder, 'expected'));
      const lines = bodyOf('y', itemBytes).slice(1, -1).toString();
      await writeFile(join(folder, 'expected', 'users.ndjson'), lines.replace('},{', '}\n{'));
      const ended = await ownCommand(['test', folder], { env: heapOf(largeHeap) });
      assertShown(ended, 1, /- text: "y+\.\.\.\n +\+ text: "x+\.\.\.\n/);
    }));

  test(`the live display, an error, and a table with texts of ${bytes} characters`, async () => {
    const ended = await node(['--import', 'tsx', displays, String(bytes)], { env: heapOf(largeHeap) });
    assertShown(ended, 0, /displayed: .*done/);
  });
}
