import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rxtract } from '../../src/cli/main-command.js';
import { schemaText } from '../../src/config/schema/text.js';
import { fakeShell } from './fake-shell.js';

test('prints the schema on standard output, and nothing else anywhere', async () => {
  const shell = fakeShell();
  assert.is(await rxtract(['schema'], shell), 0);
  assert.equal([shell.out(), shell.err()], [schemaText(), '']);
  assert.is(JSON.parse(shell.out()).$id, 'urn:rxtract:configuration');
});

test('takes no configuration', async () => {
  const shell = fakeShell();
  assert.is(await rxtract(['schema', 'config.json'], shell), 1);
  assert.match(shell.err(), 'unexpected argument "config.json" after "schema"');
  assert.is(shell.out(), '');
});

test('the package exports the file by its name', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  assert.is(manifest.exports['./schema.json'], './schema.json');
  assert.ok(manifest.files.includes('schema.json'));
});

test.run();
