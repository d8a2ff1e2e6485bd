/**
 * The runner behind `npm test`: every test file in a process of its own, two at a time, and true counts at the end.
 *
 *     node test/run.mjs [REGEX]        only the files whose path matches
 *
 * uvu alone exits 0 for a file that forgets `test.run()` or dies half-way; here both are failures, and so is a
 * skipped test. The last line is exactly `N passed, N failed`.
 */
import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const filesAtOnce = 2;
/** A file in which no test ends for this long hangs. */
const quietSeconds = 120;

/** What one file came to: its counts, and what to print when something in it failed. */
const failure = (file, told, text) => ({
  file,
  passed: told?.passed ?? 0,
  failed: Math.max(1, told?.failed ?? 0),
  text,
});

function judge(file, told, ending, output) {
  if (told === undefined) return failure(file, told, `ended before its tests did (${ending})\n${output}`);
  if (told.crash !== undefined) return failure(file, told, `${told.crash}\n${output}`);
  if (told.total === 0) return failure(file, told, `ran no test: is test.run() missing?\n${output}`);
  if (told.skipped > 0)
    return failure(file, { ...told, failed: told.failed + told.skipped }, `${told.skipped} skipped\n${told.errors}`);
  if (told.failed > 0) return failure(file, told, `${told.errors}\n${output}`);
  return { file, passed: told.passed, failed: 0, text: '' };
}

function runFile(file) {
  return new Promise((resolve) => {
    const child = fork(join(root, 'test', 'run-file.mjs'), [join(root, file)], {
      cwd: root,
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let told;
    let output = '';
    const guard = setTimeout(() => child.kill('SIGKILL'), quietSeconds * 1000);
    child.on('message', (message) => {
      told = message;
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output = (output + text).slice(-20_000);
        guard.refresh();
      });
    }
    child.on('close', (code, signal) => {
      clearTimeout(guard);
      resolve(judge(file, told, signal ?? `exit code ${code}`, output));
    });
  });
}

function testFiles(pattern) {
  return readdirSync(join(root, 'test'), { recursive: true })
    .map((path) => `test/${path.split(sep).join('/')}`)
    .filter((path) => path.endsWith('.test.ts') && pattern.test(path))
    .sort();
}

function report({ file, passed, failed, text }) {
  process.stdout.write(
    `${failed === 0 ? 'ok  ' : 'FAIL'} ${file} (${passed} passed${failed === 0 ? '' : `, ${failed} failed`})\n`,
  );
  if (text !== '') process.stdout.write(`${text.trimEnd().replace(/^/gm, '     ')}\n`);
}

async function main() {
  const files = testFiles(new RegExp(process.argv[2] ?? ''));
  const results = [];
  // The slowest kind goes first, so that the two lanes end together.
  const waiting = [...files].sort((a, b) => Number(b.includes('blackbox')) - Number(a.includes('blackbox')));
  const lane = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = await runFile(file);
      results.push(result);
      report(result);
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, lane));
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  if (files.length === 0) process.stdout.write('no test file matches\n');
  process.exitCode = sum('failed') > 0 || files.length === 0 ? 1 : 0;
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`);
}

await main();
