/**
 * The runner of `npm test` and `npm run test:long`: two processes take test files in turn, true counts at the end.
 *
 *     node test/run.mjs [REGEX]        only the files whose path matches; without it all but the long ones
 *     node test/run.mjs --long         the long ones alone
 *     node test/run.mjs --servers      those that start real servers, such as redis-server; skipped without them
 *     node test/run.mjs --packaging    those on what is published: the package, the executable, files of other tools
 *
 * Loading tsx and the packages takes longer than most files, so a process goes from file to file; the first failure,
 * crash or hang is its last, lest it should reach the next file. uvu alone exits 0 for a file that forgets `test.run()`
 * or dies half-way; here both are failures, and so is a test that `only` or `skip` leaves out. Tests that need what
 * this machine lacks (test/where.ts) are named in the last lines. The very last one is exactly `N passed, N failed, N
 * skipped`.
 */
import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const filesAtOnce = 2;
/** A file in which no test ends for this long hangs. */
const quietSeconds = 300;
/** Files whose time is spent on repetition, on large values, or on installing the package. */
const long = /^test\/(chaos|fuzz|memory|package)\//;
const servers = /^test\/servers\//;
const packaging = /^test\/packaging\//;
/** The slowest files first, so that the two lanes end together. */
const slowFirst = [/planted-secrets|blackbox\/resume/, /blackbox|security|examples|package|chaos/];

/** What one file came to: its counts, and what to print when something in it failed. */
const failure = (file, counts, text) => ({
  file,
  passed: counts?.passed ?? 0,
  failed: Math.max(1, counts?.failed ?? 0),
  skipped: counts?.skipped ?? [],
  text,
});

function judge(file, counts, ending, output) {
  if (isClean(counts)) return { file, passed: counts.passed, failed: 0, skipped: counts.skipped, text: '' };
  if (counts === undefined) return failure(file, counts, `ended before its tests did (${ending})\n${output}`);
  if (counts.crash !== undefined) return failure(file, counts, `${counts.crash}\n${output}`);
  if (counts.total === 0) return failure(file, counts, `ran no test: is test.run() missing?\n${output}`);
  if (counts.singledOut > 0) {
    const failed = counts.failed + counts.singledOut;
    return failure(file, { ...counts, failed }, `\`only\` or \`skip\` left out ${counts.singledOut}\n${counts.errors}`);
  }
  return failure(file, counts, `${counts.errors}\n${output}`);
}

/** A file that has skipped its tests, all of them, has run none. */
const isClean = (counts) =>
  counts !== undefined &&
  counts.crash === undefined &&
  counts.total + counts.skipped.length > 0 &&
  counts.passed === counts.total &&
  counts.singledOut === 0;

function startProcess() {
  const child = fork(join(root, 'test', 'run-file.mjs'), [], {
    cwd: root,
    execArgv: [
      ...['--import', 'tsx', '--import', new URL('support/threads.mjs', import.meta.url).href],
      // Else Node leaves the first address of `localhost` after 250 ms, in which a busy machine may do nothing.
      '--network-family-autoselection-attempt-timeout=60000',
    ],
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
  const guard = setTimeout(() => {
    output += `\nno test has ended for ${quietSeconds} s`;
    child.send({}, () => undefined); // it ends the servers that its tests have started
    setTimeout(() => child.kill('SIGKILL'), 10_000).unref();
  }, quietSeconds * 1000);
  const collect = (text) => {
    output = (output + text).slice(-20_000);
    guard.refresh();
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', collect);
  const counts = await new Promise((resolve) => {
    child.once('message', resolve);
    child.closed.then(() => resolve(undefined));
    child.send({ file: join(root, file) }, () => undefined);
  });
  const ending = isClean(counts) ? '' : await end(child);
  clearTimeout(guard);
  for (const stream of [child.stdout, child.stderr]) stream.off('data', collect).resume();
  return judge(file, counts, ending, output);
}

/** The files that the word chooses, the slowest first. */
function testFiles(word) {
  const isChosen =
    {
      undefined: (path) => ![long, servers, packaging].some((group) => group.test(path)),
      '--long': (path) => long.test(path),
      '--servers': (path) => servers.test(path),
      '--packaging': (path) => packaging.test(path),
    }[word] ?? matches(word);
  const rank = (path) => [...slowFirst, /^/].findIndex((pattern) => pattern.test(path));
  return readdirSync(join(root, 'test'), { recursive: true })
    .map((path) => `test/${path.split(sep).join('/')}`)
    .filter((path) => path.endsWith('.test.ts') && isChosen(path))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

const matches = (word) => (path) => new RegExp(word).test(path);

function report({ file, passed, failed, skipped, text }, seconds) {
  const each = { passed, failed, skipped: skipped.length };
  const counts = Object.entries(each)
    .filter(([name, count]) => name === 'passed' || count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
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

/** A line for each file and reason of skipped tests. */
function skippedLines(results) {
  return results.flatMap(({ file, skipped }) => {
    const reasons = [...new Set(skipped.map(({ reason }) => reason))];
    const count = (wanted) => skipped.filter(({ reason }) => reason === wanted).length;
    return reasons.map((reason) => `skipped: ${file}: ${count(reason)}, as ${reason}\n`);
  });
}

async function main() {
  const files = testFiles(process.argv[2]);
  const results = [];
  const waiting = [...files];
  await Promise.all(Array.from({ length: filesAtOnce }, () => lane(waiting, results)));
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  if (files.length === 0) process.stdout.write('no test file matches\n');
  process.exitCode = sum('failed') > 0 || files.length === 0 ? 1 : 0;
  process.stdout.write(skippedLines(results).join(''));
  const skipped = results.reduce((total, result) => total + result.skipped.length, 0);
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed, ${skipped} skipped\n`);
}

await main();
