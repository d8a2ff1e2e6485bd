/** Threads of `rxtract test`: cases side by side, one that hangs, an interrupt. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rxtract } from '../../../src/cli/main-command.js';
import type { Signal } from '../../../src/cli/shell.js';
import { testWith } from '../../../src/cli/test.js';
import type { CaseResult } from '../../../src/tools/test/case-result.js';
import { runInThreads } from '../../../src/tools/test/case-threads.js';
import { findCases, type TestCase } from '../../../src/tools/test/find-cases.js';
import { inTemporary } from '../../blackbox/command.js';
import { fakeShell } from '../../cli/fake-shell.js';
import { recordCase } from './lib.js';

const usual = { atOnce: 2, timeout: 60_000, options: { update: true, strict: false }, onSignal: () => () => undefined };

async function resultsOf(tests: readonly TestCase[], more: Partial<Parameters<typeof runInThreads>[1]> = {}) {
  const results: CaseResult[] = [];
  const signal = await runInThreads(tests, { ...usual, onResult: (result) => void results.push(result), ...more });
  return { signal, results };
}

test('cases run in threads, and results come in their order', () =>
  inTemporary(async (root) => {
    for (const name of ['a', 'b', 'c']) await recordCase(root, name, { settings: { expected: `../${name}-items` } });
    const { signal, results } = await resultsOf(await findCases(root));
    assert.is(signal, undefined);
    assert.equal(
      results.map(({ name, outcome, requests, items }) => [name, outcome, requests, items]),
      ['a', 'b', 'c'].map((name) => [name, 'passed', 2, 3]),
    );
  }));

test('a case that takes too long fails, and the next one has a new thread', () =>
  inTemporary(async (root) => {
    const folder = join(root, 'a');
    await mkdir(folder);
    for (const name of ['config.json', 'recording.jsonl']) await writeFile(join(folder, name), '');
    await writeFile(join(folder, 'case.json'), '{ "skip": "quick" }');
    const [quick] = await findCases(root);
    if (quick === undefined) throw new Error('there is no case');
    const { results } = await resultsOf([quick], { timeout: 1 });
    assert.equal(
      results.map(({ problems }) => problems[0]?.title),
      ['it did not end within 0.001 s; --timeout allows more time'],
    );
    const both = await resultsOf([{ ...quick, name: 'x', problems: ['broken'] }, quick], { atOnce: 1 });
    assert.equal(
      both.results.map(({ name, outcome }) => [name, outcome]),
      [
        ['x', 'failed'],
        ['a', 'skipped'],
      ],
    );
  }));

test('an interrupt ends the threads, and the command has its exit code', () =>
  inTemporary(async (root) => {
    await recordCase(root, 'a');
    let interrupt: (signal: Signal) => void = () => undefined;
    const { signal, results } = await resultsOf(await findCases(root), {
      onSignal(listener) {
        interrupt = listener;
        queueMicrotask(() => interrupt('SIGTERM'));
        return () => undefined;
      },
    });
    assert.equal([signal, results], ['SIGTERM', []]);
    const shell = fakeShell();
    const exit = await rxtract(['test', root], shell, [testWith(async () => 'SIGINT')]);
    assert.is(exit, 130);
    assert.match(shell.err(), 'interrupted by SIGINT: 0 of 1 case have run');
  }));

test.run();
