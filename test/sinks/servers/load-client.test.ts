import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadClient } from '../../../sinks/servers/load-client.js';
import { rejection } from '../lib.js';

test('a package that is there is loaded', async () => {
  const path = await loadClient<typeof import('node:path')>('node:path', 'a sink', ['path']);
  assert.type(path.join, 'function');
});

test('a package that is not installed is an error with the command that installs it', async () => {
  const error = await rejection(
    () => loadClient('no-such-client', 'no:', ['no-such-client', 'other']),
    'ERR_SINK',
    /^no: needs the package no-such-client, which is not installed: npm install no-such-client other$/,
  );
  assert.is(error.where.remedy, 'Install it next to rxtract: `npm install no-such-client other`.');
});

test('a package that fails to load is its own error', async () => {
  const broken = new URL('data:text/javascript,throw new Error("broken")').href;
  await loadClient(broken, 'a sink', []).then(
    () => assert.unreachable(),
    (thrown: Error) => assert.is(thrown.message, 'broken'),
  );
});

test.run();
