import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allowing, checkAllowed, warningCodes } from '../../../src/core/errors/warnings.js';
import { rejection } from '../../sinks/lib.js';

/** The codes in the first column of the table of warnings in chapter 1. */
function documented(): readonly string[] {
  const chapter = readFileSync(new URL('../../../docs/01-configuration.md', import.meta.url), 'utf8');
  const [, table = ''] = /^\| Warning \| \|\n((?:\|.*\n)+)/m.exec(chapter) ?? [];
  const cells = table.split('\n').map((line) => line.split('|')[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, code = '']) => code));
}

test('the list of warnings is the one that chapter 1 explains', () => {
  assert.equal([...warningCodes].sort(), [...documented()].sort());
});

test('a warning that is allowed is one for debugging; all else stays', () => {
  const allowed = allowing(['no-list', 'retry']);
  assert.is(allowed({ level: 'warning', code: 'no-list', message: '' }).level, 'debug');
  assert.is(allowed({ level: 'warning', code: 'no-data', message: '' }).level, 'warning');
  assert.is(allowed({ level: 'info', code: 'retry', message: '' }).level, 'info');
});

test('an unknown warning is rejected, with the nearest name', async () => {
  checkAllowed(['no-list', 'bound-reached']);
  await rejection(async () => checkAllowed(['no-lists']), 'ERR_USAGE', /"no-lists"; did you mean "no-list"\?/);
});

test.run();
