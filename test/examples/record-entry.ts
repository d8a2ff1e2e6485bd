/**
 * Makes the recording of an entry of the catalogue: `npm run catalog -- NAME [ANSWERS]`. It runs the configuration,
 * which gets the answers in their order, and prints each request, so that you can compare it with the documentation.
 * ANSWERS has one JSON object a line: `{"status": 200, "headers": {}, "body": ...}`. Without it the answers are those
 * of the recording that is there. No connection is opened, and waits take no time.
 */
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastValueFrom } from 'rxjs';
import { memory } from '../../sinks/memory.js';
import { parseDocument } from '../../src/config/document.js';
import { applyAssignments } from '../../src/config/set.js';
import { sourceOf } from '../../src/core/util/byte-source.js';
import type { EngineExchanges } from '../../src/http/exchanges.js';
import type { Handler } from '../../src/http/types.js';
import { startReplayClock } from '../../src/recording/clock.js';
import { recordExchanges } from '../../src/recording/record.js';
import { readRecording } from '../../src/recording/recorded-exchanges.js';
import { replayEnvironment } from '../../src/recording/replay-environment.js';
import { extract } from '../../src/run/extract.js';
import { readCaseFile } from '../../src/tools/test/case-file.js';
import { findCases } from '../../src/tools/test/find-cases.js';
import { runCase } from '../../src/tools/test/run-case.js';

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
}

const say = (text: string) => process.stdout.write(`${text}\n`);
/** When the recorded runs begin: recordings of one day differ in what they say, not in their times. */
const start = Date.parse('2026-11-01T00:00:00Z');

const [name, from] = process.argv.slice(2);
if (name === undefined) throw new Error('npm run catalog -- NAME [ANSWERS]');
const folder = fileURLToPath(new URL(`../../examples/apis/${name}/`, import.meta.url));
const recording = join(folder, 'recording.jsonl');
const answers = from === undefined ? await answersOf(recording) : readAnswers(from);

async function answersOf(path: string): Promise<Answer[]> {
  const { exchanges, close } = await readRecording(path);
  const found: Answer[] = [];
  for (const { head, parts } of exchanges) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of parts()) chunks.push(chunk);
    const { status = 200, headers = {} } = head ?? {};
    found.push({ status, headers: headers as Answer['headers'] & {}, body: Buffer.concat(chunks).toString() });
  }
  await close();
  return found;
}

function readAnswers(path: string): Answer[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line));
}

const answer: Handler = async (request, context) => {
  const next = answers.shift();
  const shown = `${request.method} ${decodeURIComponent(request.url)}`;
  say(`${next?.status ?? 200}  ${shown}${typeof request.body === 'string' ? `  ${request.body}` : ''}`);
  if (next === undefined) throw new Error('there is no answer for this request');
  context.slot?.begin();
  context.hasBegun = true;
  const { status = 200, body = '' } = next;
  const headers = { 'content-type': 'application/json', ...next.headers };
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const contentType = String(headers['content-type']);
  const whole = sourceOf([bytes]);
  return {
    status,
    headers,
    contentType,
    request,
    isOpenEnded: false,
    body: { read: (take) => whole.read(take), cancel: () => undefined },
  };
};

/** `set` of `case.json`, such as a smaller page: a recording has few items. */
async function changes(): Promise<readonly string[]> {
  const path = join(folder, 'case.json');
  const read = existsSync(path) ? await readCaseFile(path) : undefined;
  if (read !== undefined && 'problems' in read) throw new Error(read.problems.join('\n'));
  return read?.settings.set ?? [];
}

/** Moves the file into its place only after the whole run. */
async function record(): Promise<void> {
  const config = join(folder, 'config.json');
  const content = applyAssignments(parseDocument(readFileSync(config), config), await changes());
  const clock = startReplayClock(start);
  const recorder = (await recordExchanges(`${recording}.new`)) as EngineExchanges; // made by `src/recording`
  const exchanges: EngineExchanges = { ...recorder, around: (_, shared) => recorder.around(answer, shared) };
  try {
    const { env } = replayEnvironment(content, {});
    const run = extract(content, {
      to: memory(),
      exchanges,
      strict: true,
      env,
      notify: ({ level, code, message }) => level === 'warning' && say(`warning: ${message} [${code}]`),
    });
    await lastValueFrom(run.receipts, { defaultValue: undefined });
    await run.closed;
  } finally {
    await exchanges.close();
    clock.stop();
  }
  renameSync(`${recording}.new`, recording);
}

await record();
if (answers.length > 0) throw new Error(`${answers.length} answers are left over`);
for (const test of await findCases([folder])) {
  const { outcome, problems, items } = await runCase(test, { update: true, strict: true });
  say(`${outcome}: ${items} items`);
  for (const { title, lines } of problems) say([title, ...lines].join('\n'));
  if (outcome !== 'passed') process.exitCode = 1;
}
