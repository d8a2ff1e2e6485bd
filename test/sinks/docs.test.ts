/** Holds docs/07-sinks.md to what it says. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rules } from '../../sinks/conformance/rules.js';
import { inFolder } from './lib.js';

const page = readFileSync(new URL('../../docs/07-sinks.md', import.meta.url), 'utf8');

test(
  'the program of the page runs and breaks no rule',
  inFolder(async (dir) => {
    const program = /```ts\n(import [^\n]*checkSink[\s\S]*?)```/.exec(page)?.[1] ?? '';
    const file = join(dir, 'program.mts');
    writeFileSync(file, program.replace("'rxtract/sinks'", `'${new URL('../../sinks/index.ts', import.meta.url)}'`));
    const lines = execFileSync(process.execPath, ['--import', 'tsx', file], { encoding: 'utf8' }).trim().split('\n');
    assert.is(lines.length, rules.length);
    assert.equal(
      lines.filter((line) => !/^(pass|skip) /.test(line)),
      [],
    );
  }),
);

test.run();
