import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTerminal } from '../../../src/tools/live/terminal.js';
import { screenOf } from './screen.js';

test('a frame replaces the one before', () => {
  const screen = screenOf(40);
  const terminal = createTerminal(screen.stream);
  terminal.draw(['job', 'users 1', 'orders 1']);
  terminal.draw(['job', 'users 1', 'orders 2']);
  assert.equal(screen.lines(), ['job', 'users 1', 'orders 2']);
  terminal.draw(['JOB', 'users 10', 'orders']);
  assert.equal(screen.lines(), ['JOB', 'users 10', 'orders']);
  terminal.end();
});

test('lines can be added and removed in between', () => {
  const screen = screenOf(40);
  const terminal = createTerminal(screen.stream);
  for (const frame of ['abc', 'axbc', 'ac', 'ayzc', 'c', 'abcdef', 'af']) {
    terminal.draw([...frame]);
    assert.equal(screen.lines(), [...frame]);
  }
  terminal.end();
});

test('a printed line stays above the frame', () => {
  const screen = screenOf(40);
  const terminal = createTerminal(screen.stream);
  terminal.draw(['job', 'users 1']);
  terminal.print('warning: odd');
  assert.equal(screen.lines(), ['warning: odd', 'job', 'users 1']);
  terminal.draw(['job', 'users 2']);
  terminal.print('again');
  assert.equal(screen.lines(), ['warning: odd', 'again', 'job', 'users 2']);
  terminal.end();
});

test('the end removes the frame and keeps printed lines; later lines are plain', () => {
  const screen = screenOf(40);
  const terminal = createTerminal(screen.stream);
  terminal.print('first');
  terminal.draw(['job', 'users 1']);
  terminal.end();
  terminal.end();
  terminal.print('last');
  assert.equal(screen.lines(), ['first', 'last']);
});

test('without a frame nothing is erased', () => {
  const screen = screenOf(40);
  createTerminal(screen.stream).end();
  assert.not.ok(screen.isTouched());
});

for (const columns of [39, 21, 20, 11, 60]) {
  test(`a frame of 40 columns leaves nothing when the terminal changes to ${columns}`, () => {
    const screen = screenOf(40);
    const terminal = createTerminal(screen.stream);
    terminal.print('odd');
    terminal.draw(['\u001b[2mjob\u001b[0m', 'x'.repeat(40), '顧'.repeat(20), 'y'.repeat(21)]);
    screen.resize(columns);
    terminal.draw(['job', 'users']);
    assert.equal(screen.lines(), ['odd', 'job', 'users']);
    screen.resize(Math.max(10, columns - 8));
    terminal.print('odder');
    assert.equal(screen.lines(), ['odd', 'odder', 'job', 'users']);
    screen.resize(columns);
    terminal.end();
    assert.equal(screen.lines(), ['odd', 'odder']);
  });
}

test('a terminal of unknown size has 80 columns and 24 rows', () => {
  const { stream } = screenOf(40);
  assert.equal(createTerminal(stream).size(), { columns: 40, rows: 100 });
  assert.equal(createTerminal(Object.assign(stream, { columns: 0, rows: 0 })).size(), { columns: 80, rows: 24 });
});

test.run();
