/** What the page can do with a configuration: each route is a command, run in this process. */

import { checkResult, type LogLine } from './check-text.js';
import type { ConfigFile } from './config-file.js';
import { createHiddenSecrets, type HiddenSecrets } from './hidden-secrets.js';
import { byLine, createLineQueue } from './line-queue.js';
import { numberAt, textAt, textOrNone } from './page-input.js';
import type { CheckResult, ConfigView, TriedLine } from './page-messages.js';
import type { PageInput, PageRoute } from './page-server.js';

/** A command of the page, with `--log json`. */
export interface PageCommand {
  readonly name: string;
  readonly words: readonly string[];
  readonly stdin: string;
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
  readonly onLog: (text: string) => void;
}

export interface WorkbenchOptions {
  readonly file: ConfigFile;
  /** The JSON Schema of configurations. */
  readonly schema: object;
  /** Options for each command with a configuration. */
  readonly bounds: readonly string[];
  /** Those for each command that sends requests. */
  readonly ways: readonly string[];
  /** Runs a command to its end. Resolves with its exit code. */
  run(command: PageCommand): Promise<number>;
  /** What hides the secrets of a configuration in any text; of one that is not valid, it hides none. */
  maskOf(text: string): (text: string) => string;
}

export type PageRoutes = ReadonlyMap<string, PageRoute>;

/** The routes of a page that builds a configuration. */
export function createWorkbench(options: WorkbenchOptions): PageRoutes {
  const { file, schema, bounds, ways, run, maskOf } = options;
  const secrets = createHiddenSecrets();
  const view = async (): Promise<ConfigView> => {
    const { text, version } = await file.read();
    return { path: file.path, text: secrets.hide(text, maskOf(text)), version };
  };
  const save = async (input: PageInput) => {
    await file.write(secrets.restore(textAt(input, 'text')), textAt(input, 'version'));
    return view();
  };
  /** Runs a command with the text of the page. */
  const withText = (name: string, words: readonly string[], input: PageInput, signal: AbortSignal) =>
    collected(run, { name, words: ['-', ...words, ...bounds], stdin: secrets.restore(textAt(input, 'text')), signal });
  const check = async (input: PageInput, signal: AbortSignal): Promise<CheckResult> => {
    const { exit, log } = await withText('validate', [], input, signal);
    return checkResult(exit, log, textAt(input, 'text'));
  };
  const plan = async (input: PageInput, signal: AbortSignal) => {
    const { exit, log, output } = await withText('plan', ['--json', ...jobOf(input)], input, signal);
    return exit === 0 ? { plan: JSON.parse(output) } : { plan: null, ...checkResult(exit, log, '') };
  };
  const state = async (input: PageInput, signal: AbortSignal) => {
    const words = ['show', textAt(input, 'path'), '--json'];
    const { exit, log, output } = await collected(run, { name: 'state', words, stdin: '', signal });
    return exit === 0 ? { memory: JSON.parse(output) } : { memory: null, ...checkResult(exit, log, '') };
  };
  return new Map<string, PageRoute>([
    ['/api/schema', async () => schema],
    ['/api/file', view],
    ['/api/save', save],
    ['/api/check', check],
    ['/api/plan', plan],
    ['/api/state', state],
    ['/api/try', (input, signal) => tried(run, { input, secrets, words: [...bounds, ...ways] }, signal)],
  ]);
}

const jobOf = (input: PageInput): readonly string[] => {
  const job = textOrNone(input, 'job');
  return job === '' ? [] : [`--job=${job}`];
};

type Run = WorkbenchOptions['run'];

async function collected(run: Run, command: Omit<PageCommand, 'onOutput' | 'onLog'>) {
  const printed = { output: '', log: [] as LogLine[] };
  const onOutput = (text: string) => {
    printed.output += text;
  };
  const onLog = byLine((line) => void printed.log.push(JSON.parse(line)));
  const exit = await run({ ...command, onOutput, onLog });
  return { exit, ...printed };
}

interface Try {
  readonly input: PageInput;
  readonly secrets: HiddenSecrets;
  readonly words: readonly string[];
}

/** Requests the first pages: each page of the answer, then what failed. Ends with the browser. */
function tried(run: Run, { input, secrets, words }: Try, signal: AbortSignal): AsyncIterable<TriedLine> {
  const pages = numberAt(input, 'pages');
  const queue = createLineQueue<TriedLine>();
  const log: LogLine[] = [];
  run({
    name: 'preview',
    words: ['-', '--json', `--pages=${pages}`, '--items=50', ...jobOf(input), ...words],
    stdin: secrets.restore(textAt(input, 'text')),
    signal,
    onOutput: byLine((line) => queue.push({ page: JSON.parse(line) })),
    onLog: byLine((line) => void log.push(JSON.parse(line))),
  }).then((exit) => {
    queue.push({ result: checkResult(exit, log, textAt(input, 'text')) });
    queue.end();
  }, queue.fail);
  return queue.read();
}
