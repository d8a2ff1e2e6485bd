/** A row of the black-box table: one rule, a configuration, a conversation, and what must have come out. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { json, type Reply } from '../loopback/api.js';
import { mainOrigin, type Step, startReplay } from '../loopback/replay.js';
import { command, type Ended, filesIn, inTemporary } from './command.js';

type Config = Readonly<Record<string, unknown>>;

export interface Row {
  /** The rule in plain words. */
  readonly rule: string;
  /** Members of `api`; baseUrl is `http://api.test/` unless given. */
  readonly api?: Config;
  /** Members of `config`; one job at `users` of the type `users` unless given. */
  readonly config?: Config;
  /** The whole configuration as text instead, where digits or the order of members matter. */
  readonly text?: string;
  readonly steps: readonly Step[];
  /** Data type -> NDJSON. Absent: the files are not looked at. Files without a line count as absent. */
  readonly files?: Readonly<Record<string, string>>;
  /** Data type -> the unpublished items of a failed run, in `<data type>.ndjson.partial`. */
  readonly partial?: Readonly<Record<string, string>>;
  readonly exit?: number;
  readonly args?: readonly string[];
  /** Each must be found on stderr; without any, no warning may be there. */
  readonly says?: readonly RegExp[];
  /** Must be found neither on stdout nor on stderr; values of `#` keys are looked for anyway. */
  readonly secrets?: readonly string[];
}

export interface Outcome extends Ended {
  readonly asked: string;
  readonly expected: string;
  readonly files: Readonly<Record<string, string>>;
}

/**
 * One exchange: the request line, the reply (other values are sent as JSON), and what else the request must contain.
 */
export function step(request: string, reply: unknown, more: Pick<Step, 'headers' | 'body'> = {}): Step {
  return { request, reply: isReply(reply) ? reply : json(reply), ...more };
}

/** Items as NDJSON. */
export const lines = (...values: readonly unknown[]): string =>
  values.map((each) => `${JSON.stringify(each)}\n`).join('');

/** Plays the row: both servers, the command, the files. */
export function play(row: Row, run: typeof command = command): Promise<Outcome> {
  return inTemporary(async (directory) => {
    const replay = await startReplay(row.steps);
    try {
      const config = join(directory, 'config.json');
      await writeFile(config, replay.resolve(row.text ?? configText(row)));
      const out = join(directory, 'out');
      const ended = await run(['run', config, '--to', `ndjson:${out}`, ...(row.args ?? [])], { cwd: directory });
      return { ...ended, asked: replay.asked(), expected: replay.expected(), files: await filesIn(out) };
    } finally {
      await replay.close();
    }
  });
}

/** Holds the outcome to the row. */
export function check(row: Row, outcome: Outcome): void {
  const stderr = `stderr was:\n${outcome.stderr}`;
  assert.equal(outcome.asked.split('\n'), outcome.expected.split('\n'), undefined);
  assert.is(outcome.exit, row.exit ?? 0, `exit code ${outcome.exit} instead of ${row.exit ?? 0}; ${stderr}`);
  if (row.files !== undefined) {
    const partial = named(row.partial ?? {}, 'ndjson.partial');
    assert.equal(withoutEmpty(outcome.files), { ...named(row.files, 'ndjson'), ...partial });
  }
  for (const pattern of row.says ?? []) assert.ok(pattern.test(outcome.stderr), `${pattern} is not said; ${stderr}`);
  if (row.says === undefined && row.exit === undefined) assert.not(/warning/i.test(outcome.stderr), stderr);
  assert.is(outcome.stdout, '', 'stdout is for data alone');
  assert.not(/^\s+at .*:\d+:\d+/m.test(outcome.stderr), `a stack trace; ${stderr}`);
  for (const secret of secretsOf(row)) {
    assert.not(`${outcome.stdout}${outcome.stderr}`.includes(secret), `the secret ${secret} is shown; ${stderr}`);
  }
}

function configText({ api = {}, config = {} }: Row): string {
  return JSON.stringify({
    api: { baseUrl: `${mainOrigin}/`, ...api },
    config: { jobs: [{ endpoint: 'users', dataType: 'users' }], ...config },
  });
}

function secretsOf({ config = {}, secrets = [] }: Row): readonly string[] {
  const keyed = Object.entries(config).flatMap(([key, value]) => (key.startsWith('#') ? [String(value)] : []));
  return [...keyed, ...secrets];
}

const named = (files: Readonly<Record<string, string>>, ending: string): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([dataType, content]) => [`${dataType}.${ending}`, content]));

const withoutEmpty = (files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([, content]) => content !== ''));

const isReply = (reply: unknown): reply is Reply =>
  typeof reply === 'object' && reply !== null && ('body' in reply || 'status' in reply);
