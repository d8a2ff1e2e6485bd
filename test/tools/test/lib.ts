/** Makes cases for `rxtract test`: each is recorded from an API on loopback. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { rxtract } from '../../../src/cli/main-command.js';
import { testWith } from '../../../src/cli/test.js';
import type { CaseResult } from '../../../src/tools/test/case-result.js';
import { runCase } from '../../../src/tools/test/run-case.js';
import type { runCases } from '../../../src/tools/test/run-cases.js';
import { commandHere } from '../../blackbox/command.js';
import { fakeShell } from '../../cli/fake-shell.js';
import { type Answer, json, startApi } from '../../loopback/api.js';

export interface CaseApi {
  readonly api?: object;
  readonly job?: object;
  readonly config?: object;
  readonly answer?: Answer;
  readonly settings?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** The exit code of the recorded run; default 0. */
  readonly exit?: number;
}

/** Three users on two pages. */
export const users: Answer = ({ target }) =>
  json(
    target.includes('page=2')
      ? [{ id: 3, name: 'Cyd', big: 1 }]
      : [
          { id: 1, name: 'Ada' },
          { id: 2, name: 'Bob', tags: ['a'] },
        ],
  );

/** Records a case in the folder `name`. Returns its path. */
export async function recordCase(root: string, name: string, given: CaseApi = {}): Promise<string> {
  const { api, job, config, answer = users, settings, env, exit = 0 } = given;
  const folder = join(root, name);
  await mkdir(folder, { recursive: true });
  const server = await startApi(answer);
  const document = {
    api: { baseUrl: `${server.origin}/`, pagination: { method: 'pagenum', limit: 2 }, ...api },
    config: { jobs: [{ endpoint: 'users', ...job }], ...config },
  };
  await writeFile(join(folder, 'config.json'), JSON.stringify(document));
  const recording = join(folder, 'recording.jsonl');
  const words = ['run', join(folder, 'config.json'), '--record', recording, '--to', 'null:'];
  const ended = await commandHere(words, env === undefined ? {} : { env });
  await server.close();
  assert.is(ended.exit, exit, ended.stderr);
  if (settings !== undefined) await writeFile(join(folder, 'case.json'), JSON.stringify(settings));
  return folder;
}

/** Writes a file of a case. */
export const put = async (folder: string, name: string, text: string): Promise<void> => {
  await mkdir(join(folder, name, '..'), { recursive: true });
  await writeFile(join(folder, name), text);
};

/** Runs cases one after the other, in this thread: starting another one takes longer than most cases. */
const inThisThread: typeof runCases = async (tests, { onResult, ...options }) => {
  const results: CaseResult[] = [];
  for (const each of tests) {
    const result = await runCase(each, options);
    results.push(result);
    onResult?.(result);
  }
  return results;
};

/** Runs `rxtract test` in this thread. */
export async function testHere(words: readonly string[]) {
  const shell = fakeShell();
  const exit = await rxtract(['test', ...words], shell, [testWith(inThisThread)]);
  return { exit, stdout: shell.out(), stderr: shell.err() };
}

/** The same without times and paths in what it prints. */
export async function testCases(root: string, words: readonly string[] = []) {
  const ended = await testHere([root, ...words]);
  const clean = (text: string) => text.replaceAll(root, 'DIR').replace(/\d+\.\d+ s/g, 'N s');
  return { ...ended, stdout: clean(ended.stdout), stderr: clean(ended.stderr) };
}
