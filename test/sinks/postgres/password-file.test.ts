/** The file of passwords of PostgreSQL: which line fits, what its password is, and why there is none. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createAddressSecrets } from '../../../sinks/addresses/address-secrets.js';
import { passwordIn } from '../../../sinks/postgres/password-file.js';
import { inFolder, rejection } from '../lib.js';

const owner = { host: 'db.example', port: 5433, database: 'shop', user: 'joe' };

const lines: readonly [what: string, line: string, password: string | undefined][] = [
  ['each field', 'db.example:5433:shop:joe:word', 'word'],
  ['wildcards', '*:*:*:*:word', 'word'],
  ['an escaped colon and backslash', '*:*:*:joe:a\\:b\\\\c', 'a:b\\c'],
  ['a colon that is not escaped', '*:*:*:joe:a:b', 'a:b'],
  ['a line break of Windows', '*:*:*:*:word\r', 'word'],
  ['the first line that fits', 'x:*:*:*:other\n*:*:*:*:word\n*:*:*:*:later', 'word'],
  ['another host', 'x:5433:shop:joe:word', undefined],
  ['another port', '*:5432:*:*:word', undefined],
  ['another database', '*:*:mart:*:word', undefined],
  ['another user', '*:*:*:ann:word', undefined],
  ['a comment', '#*:*:*:*:word', undefined],
  ['too few fields', '*:*:*:word', undefined],
  ['an empty password', '*:*:*:*:', undefined],
];

for (const [what, text, expected] of lines) {
  test(
    `reads ${what}`,
    inFolder(async (dir) => {
      const path = join(dir, 'pass');
      writeFileSync(path, `${text}\n`, { mode: 0o600 });
      const address = createAddressSecrets();
      const found = passwordIn(owner, { PGPASSFILE: path }, address);
      if (expected === undefined) {
        const message = `postgres: db.example:5433 asks for the password of "joe", and none is given; no line of ${path} fits`;
        assert.is((await rejection(found, 'ERR_SINK')).message, message);
        assert.equal(address.secrets, []);
      } else {
        assert.is(await found, expected);
        assert.ok(address.secrets.includes(expected));
      }
    }),
  );
}

test(
  'the file is in the home folder, on Windows in that of applications',
  inFolder(async (dir) => {
    writeFileSync(join(dir, '.pgpass'), '*:*:*:*:home-word', { mode: 0o600 });
    mkdirSync(join(dir, 'postgresql'));
    writeFileSync(join(dir, 'postgresql', 'pgpass.conf'), '*:*:*:*:windows-word', { mode: 0o644 });
    const address = createAddressSecrets();
    assert.is(await passwordIn(owner, { HOME: dir, PGPASSFILE: '' }, address, 'linux'), 'home-word');
    assert.is(await passwordIn(owner, { APPDATA: dir }, address, 'win32'), 'windows-word');
  }),
);

test(
  'a file that others may read is not read, and no file has no reason',
  inFolder(async (dir) => {
    const path = join(dir, 'pass');
    writeFileSync(path, '*:*:*:*:word');
    chmodSync(path, 0o640);
    const read = (file: string) => passwordIn(owner, { PGPASSFILE: file }, createAddressSecrets(), 'linux');
    await rejection(read(path), 'ERR_SINK', /none is given; .*pass is not read, because others .* \(chmod 600\)$/);
    await rejection(read(join(dir, 'none')), 'ERR_SINK', /and none is given$/);
    await rejection(read(dir), 'ERR_SINK', /and none is given$/);
  }),
);

test.run();
