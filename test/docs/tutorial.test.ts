/** Runs the commands of the tutorial against the sample API, in order, and compares what they print with the page. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inTemporary, node } from '../blackbox/command.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sampleApi = join(root, 'examples/sample-api.mjs');
const page = 'docs/tutorial.md';
const written = 'http://localhost:8080';

/** One block of the page: a file that the reader writes, or commands with what they print. */
interface Step {
  readonly line: number;
  readonly text: string;
  /** The name of the file, if it is one. */
  readonly file?: string;
}

interface SampleApi {
  readonly origin: string;
  readonly close: () => void;
}

/** The blocks of commands (`console`), and those whose paragraph ends with the name of their file. */
function stepsOf(text: string): readonly Step[] {
  return [...text.matchAll(/^(.*)\n\n```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(
    ([, lead = '', language, block = '']): Step[] => {
      const step = { line: text.slice(0, text.indexOf(block)).split('\n').length, text: block };
      const [, file] = /`([\w.]+)`:$/.exec(lead) ?? [];
      if (language === 'console') return [step];
      return file === undefined ? [] : [{ ...step, file }];
    },
  );
}

/** Each command with the lines that follow it. */
const commandsOf = (text: string) =>
  text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...lines] = part.trimEnd().split('\n');
      const isInterrupted = lines[0] === '^C';
      return { command, isInterrupted, expected: lines.slice(isInterrupted ? 1 : 0).join('\n') };
    });

/** The `duckdb` command of the page, for one query: the package has the database, but no command. */
const duckdb = `
  const { DuckDBInstance } = await import(${JSON.stringify(import.meta.resolve('@duckdb/node-api'))});
  const [, file, query] = process.argv.slice(1);
  const result = await (await (await DuckDBInstance.create(file)).connect()).runAndReadAll(query);
  for (const row of [result.columnNames(), ...result.getRows()]) console.log(row.join(','));`;

/** A shell that keeps its folder, its variables and its functions from one command to the next. */
function shellIn(home: string) {
  const kept = join(home, 'shell-state');
  writeFileSync(kept, `cd ${home}\nduckdb() { node --input-type=module -e "$RUN_QUERY" -- "$@"; }\n`);
  const keep = `{ declare -px; declare -f; printf 'cd %q\\n' "$PWD"; } > ${kept}`;
  const env = { PATH: process.env.PATH, HOME: home, RUN_QUERY: duckdb };
  return (command: string, onStart: (interrupt: () => void) => void) =>
    new Promise<string>((resolve, reject) => {
      let printed = '';
      const script = `exec 2>&1\n. ${kept}\n${command}\n${keep}`;
      const child = spawn('bash', ['-c', script], { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
      child.on('error', reject).on('close', () => resolve(printed));
      onStart(() => child.pid !== undefined && process.kill(-child.pid, 'SIGINT')); // as a terminal does, to all
    });
}

/** Times and durations differ in each run; spaces at the end of a line do not show on the page. */
const steady = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b\d+\.\d+ s\b/g, 'SECONDS')
    .replaceAll(/ +$/gm, '')
    .trimEnd();

/** Whether the text is the expected one, in which a line `...` is any number of lines, and a word `...` any words. */
function isAsExpected(text: string, expected: string): boolean {
  const quote = (line: string) => line.replaceAll(/[^\w\s]/g, '\\$&').replaceAll(/ \\\.\\\.\\\.(?= |$)/g, ' .*');
  const quoted = expected.split('\n').map((line) => (line === '...' ? '[^]*' : quote(line)));
  return new RegExp(`^${quoted.join('\n')}$`).test(text);
}

async function runTutorial(home: string, steps: readonly Step[]): Promise<number> {
  const { startSampleApi } = await import(pathToFileURL(sampleApi).href);
  let onRequest: (line: string) => void = () => undefined;
  const api: SampleApi = await startSampleApi((line: string) => onRequest(line));
  const run = shellIn(home);
  let count = 0;
  try {
    for (const { line, file, text } of steps) {
      if (file !== undefined) writeFileSync(join(home, 'tutorial', file), text.replaceAll(written, api.origin));
      for (const { command, isInterrupted, expected } of file === undefined ? commandsOf(text) : []) {
        count += 1;
        const printed = await run(command.replaceAll(written, api.origin), (interrupt) => {
          onRequest = (request) => isInterrupted && request.includes('cursor=50') && interrupt();
        });
        const actual = steady(printed.replaceAll(api.origin, written));
        if (!isAsExpected(actual, steady(expected))) assert.is(actual, steady(expected), `${page}:${line}: ${command}`);
      }
    }
  } finally {
    api.close();
  }
  return count;
}

/** The tutorial is for bash; on Windows it is for a Linux there. */
const testWithBash = process.platform === 'win32' ? test.skip : test;

testWithBash('every command of the tutorial prints what the page shows', () =>
  inTemporary(async (home) => {
    symlinkSync(root, join(home, 'rxtract'), 'dir');
    mkdirSync(join(home, 'tutorial'));
    const count = await runTutorial(home, stepsOf(readFileSync(join(root, page), 'utf8')));
    assert.ok(count > 20, `${count} commands`);
  }),
);

test('the sample API of the tutorial says where it listens, or that its port is taken', async () => {
  const first = spawn(process.execPath, [sampleApi, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [said] = await once(first.stdout.setEncoding('utf8'), 'data');
    const [, port = ''] =
      /^The sample API listens at http:\/\/127\.0\.0\.1:(\d+)\. Ctrl-C ends it\.\n$/.exec(said) ?? [];
    assert.is((await fetch(`http://127.0.0.1:${port}/users`)).status, 401);
    const { exit, stdout } = await node([sampleApi, port]);
    assert.is(exit, 1);
    assert.match(stdout, `The sample API could not listen at port ${port} (EADDRINUSE). Try another: `);
  } finally {
    first.kill();
  }
});

test.run();
