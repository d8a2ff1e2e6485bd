/** Parts of a store that cannot be saved at first. */
import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createFolder } from '../../../sinks/files/folder.js';
import { createPartFiles } from '../../../src/checkpoint/store/part-files.js';
import { inFolder } from '../../sinks/lib.js';

test(
  'a part that could not be saved is saved by the next call, and one that is gone needs no saving',
  inFolder(async (dir) => {
    const parts = createPartFiles(dir, createFolder(dir), []);
    const part = await parts.create();
    await part.close();
    const [path, away] = [join(dir, part.name), join(dir, 'away')];
    const save = () =>
      parts.save().then(
        () => 'saved',
        (thrown: unknown) => String(thrown),
      );
    renameSync(path, away);
    mkdirSync(path);
    assert.match(await save(), /EISDIR/);
    assert.match(await save(), /EISDIR/);
    rmdirSync(path);
    assert.is(await save(), 'saved');
    mkdirSync(path);
    assert.is(await save(), 'saved', 'nothing was left to save');
  }),
);

test.run();
