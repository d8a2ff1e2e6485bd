/**
 * The runner behind `npm test`: two processes take test files in turn, true counts at the end.
 *
 *     node test/run.mjs [REGEX]        only the files whose path matches
 *
 * Loading tsx and the packages takes longer than most files, so a process goes from file to file; the first failure, crash or
 * hang is its last, lest it should reach the next file. uvu alone exits 0 for a file that forgets `test.run()` or dies half-way;
 * here both are failures, and so is a skipped test. The last line is exactly `N passed, N failed`.
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
  if (isClean(told)) return { file, passed: told.passed, failed: 0, text: '' };
  if (told === undefined) return failure(file, told, `ended before its tests did (${ending})\n${output}`);
  if (told.crash !== undefined) return failure(file, told, `${told.crash}\n${output}`);
  if (told.total === 0) return failure(file, told, `ran no test: is test.run() missing?\n${output}`);
  if (told.skipped > 0)
    return failure(file, { ...told, failed: told.failed + told.skipped }, `${told.skipped} skipped\n${told.errors}`);
  return failure(file, told, `${told.errors}\n${output}`);
}

const isClean = (told) =>
  told?.crash === undefined && told?.total > 0 && told.passed === told.total && told.skipped === 0;

function startProcess() {
  const child = fork(join(root, 'test', 'run-file.mjs'), [], {
    cwd: root,
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.closed = new Promise((resolve) => {
    child.on('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8');
  return child;
}

/** Has the process end, unless it has. Resolves to how it did. */
function end(child) {
  child.send({}, () => undefined);
  return child.closed;
}

/** Runs the file in the process, which is ended unless all went well: then another file may follow. */
async function runFile(child, file) {
  let output = '';
  const guard = setTimeout(() => child.kill('SIGKILL'), quietSeconds * 1000);
  const hear = (text) => {
    output = (output + text).slice(-20_000);
    guard.refresh();
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', hear);
  const told = await new Promise((resolve) => {
    child.once('message', resolve);
    child.closed.then(() => resolve(undefined));
    child.send({ file: join(root, file) }, () => undefined);
  });
  const ending = isClean(told) ? '' : await end(child);
  clearTimeout(guard);
  for (const stream of [child.stdout, child.stderr]) stream.off('data', hear).resume();
  return judge(file, told, ending, output);
}

function testFiles(pattern) {
  return readdirSync(join(root, 'test'), { recursive: true })
    .map((path) => `test/${path.split(sep).join('/')}`)
    .filter((path) => path.endsWith('.test.ts') && pattern.test(path))
    .sort();
}

function report({ file, passed, failed, text }, seconds) {
  const counts = failed === 0 ? `${passed} passed` : `${passed} passed, ${failed} failed`;
  process.stdout.write(`${failed === 0 ? 'ok  ' : 'FAIL'} ${file} (${counts}, ${seconds.toFixed(1)} s)\n`);
  if (text !== '') process.stdout.write(`${text.trimEnd().replace(/^/gm, '     ')}\n`);
}

/** Takes files from those that wait until there is none. */
async function lane(waiting, results) {
  let child;
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    child ??= startProcess();
    const started = performance.now();
    const result = await runFile(child, file);
    if (result.failed > 0) child = undefined; // ended with it
    results.push(result);
    report(result, (performance.now() - started) / 1000);
  }
  if (child !== undefined) await end(child);
}

async function main() {
  const files = testFiles(new RegExp(process.argv[2] ?? ''));
  const results = [];
  // The slowest kind goes first, so that the two lanes end together.
  const waiting = [...files].sort((a, b) => Number(b.includes('blackbox')) - Number(a.includes('blackbox')));
  await Promise.all(Array.from({ length: filesAtOnce }, () => lane(waiting, results)));
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  if (files.length === 0) process.stdout.write('no test file matches\n');
  process.exitCode = sum('failed') > 0 || files.length === 0 ? 1 : 0;
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`);
}

await main();
