/** Threads of `rxtract test`: cases side by side, one that hangs, an interrupt. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rxtract } from '../../../src/cli/main-command.js';
import { testWith } from '../../../src/cli/test.js';
import type { CaseResult } from '../../../src/tools/test/case-result.js';
import { findCases } from '../../../src/tools/test/find-cases.js';
import { runCases } from '../../../src/tools/test/run-cases.js';
import { inTemporary } from '../../blackbox/command.js';
import { fakeShell } from '../../cli/fake-shell.js';
import { recordCase } from './lib.js';

const usual = { update: true, strict: false, timeout: 60_000, atOnce: 2 };

test('cases run in threads, and results come in their order', () =>
  inTemporary(async (root) => {
    for (const name of ['a', 'b', 'c']) await recordCase(root, name, { settings: { expected: `../${name}-items` } });
    const shown: CaseResult[] = [];
    const results = await runCases(await findCases([root]), { ...usual, onResult: (each) => void shown.push(each) });
    assert.equal(shown, results);
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
    const [quick] = await findCases([root]);
    if (quick === undefined) throw new Error('there is no case');
    const results = await runCases([quick], { ...usual, timeout: 1 });
    assert.equal(
      results.map(({ problems }) => problems[0]?.title),
      ['it did not end within 0.001 s; --timeout allows more time'],
    );
    const both = await runCases([{ ...quick, name: 'x', problems: ['broken'] }, quick], { ...usual, atOnce: 1 });
    assert.equal(
      both.map(({ name, outcome }) => [name, outcome]),
      [
        ['x', 'failed'],
        ['a', 'skipped'],
      ],
    );
  }));

test('an interrupt ends the threads, and the command has its exit code', () =>
  inTemporary(async (root) => {
    await recordCase(root, 'a');
    const shell = fakeShell();
    const tests = await findCases([root]);
    const interrupt = new AbortController();
    queueMicrotask(() => interrupt.abort());
    assert.equal(await runCases(tests, { ...usual, signal: interrupt.signal }), []);
    const runAll: typeof runCases = async () => {
      shell.signal('SIGINT');
      return [];
    };
    const exit = await rxtract(['test', root], shell, [testWith(runAll)]);
    assert.is(exit, 130);
    assert.match(shell.err(), 'interrupted by SIGINT: 0 of 1 case have run');
  }));

test.run();
