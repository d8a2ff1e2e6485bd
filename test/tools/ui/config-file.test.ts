/** The file of the page: written whole, never over the changes of others. */
import { chmod, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configFile } from '../../../src/tools/ui/config-file.js';
import { inTemporary } from '../../blackbox/command.js';
import { failure } from '../../support/failure.js';

test('a file that is not there yet is written for its user alone', () =>
  inTemporary(async (dir) => {
    const file = configFile(join(dir, 'a.json'));
    assert.equal(await file.read(), { text: '', version: '' });
    const version = await file.write('{}\r\n', '');
    assert.equal(await file.read(), { text: '{}\r\n', version });
    if (process.platform !== 'win32') assert.is((await stat(join(dir, 'a.json'))).mode & 0o777, 0o600);
  }));

test('its byte-order mark, its rights and a link to it stay', () =>
  inTemporary(async (dir) => {
    const target = join(dir, 'target.json');
    await writeFile(target, '\uFEFF{}');
    await chmod(target, 0o640);
    await symlink(target, join(dir, 'a.json'));
    const file = configFile(join(dir, 'a.json'));
    const { text, version } = await file.read();
    assert.is(text, '\uFEFF{}');
    await file.write(`${text} `, version);
    assert.is(await readFile(target, 'utf8'), '\uFEFF{} ');
    if (process.platform !== 'win32') assert.is((await stat(target)).mode & 0o777, 0o640);
    assert.equal((await readdir(dir)).sort(), ['a.json', 'target.json']);
  }));

test('a file that has changed meanwhile, or is gone, is not written', () =>
  inTemporary(async (dir) => {
    const path = join(dir, 'a.json');
    await writeFile(path, 'mine');
    const file = configFile(path);
    const { version } = await file.read();
    await writeFile(path, 'of another');
    assert.match((await failure(file.write('{}', version))).message, 'has changed on the disk');
    assert.is(await readFile(path, 'utf8'), 'of another');
    await rm(path);
    assert.match((await failure(file.write('{}', version))).message, 'has changed on the disk');
    assert.equal(await readdir(dir), []);
  }));

test('what cannot be read or written is an error with its path', () =>
  inTemporary(async (dir) => {
    assert.match((await failure(configFile(dir).read())).message, `${dir}: cannot be read`);
    await writeFile(join(dir, 'a.json'), Buffer.from([0xff]));
    assert.match((await failure(configFile(join(dir, 'a.json')).read())).message, 'is not valid UTF-8');
    const nowhere = join(dir, 'none', 'a.json');
    assert.match((await failure(configFile(nowhere).write('{}', ''))).message, `${nowhere}: cannot be written`);
  }));

test.run();
