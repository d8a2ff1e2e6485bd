/** The shell of a true process. */
import { once } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { processShell } from '../../src/cli/shell.js';

test('warnings of Node go to the listener instead of standard error, until it is removed', async () => {
  const printers = process.listeners('warning');
  const messages: string[] = [];
  const stop = processShell().onWarning(({ message }) => void messages.push(message));
  try {
    assert.is(process.listenerCount('warning'), 1);
    const warned = once(process, 'warning');
    process.emitWarning('one');
    await warned;
    assert.equal(messages, ['one']);
  } finally {
    stop();
  }
  assert.equal(process.listeners('warning'), printers);
});

test('if Node prints no warnings, there are none', () => {
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  try {
    const stop = processShell().onWarning(() => undefined);
    assert.is(process.listenerCount('warning'), 0);
    stop();
  } finally {
    for (const print of printers) process.on('warning', print);
  }
});

test.run();
