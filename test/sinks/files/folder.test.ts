/** A folder whose entries have to reach the disk, and one that cannot be saved at first. */
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { createFolder } from '../../../sinks/files/folder.js';
import { posixMissing, testWhere } from '../../where.js';
import { inFolder, rejection } from '../lib.js';

testWhere(posixMissing)(
  'a directory that could not be saved is saved by the next call that can',
  inFolder(async (dir) => {
    const [path, away] = [join(dir, 'out'), join(dir, 'away')];
    mkdirSync(path);
    const folder = createFolder(path);
    folder.touch();
    renameSync(path, away);
    for (let call = 1; call <= 2; call += 1) await rejection(folder.sync(), 'ERR_SINK', /^cannot save the directory/);
    renameSync(away, path);
    await folder.sync();
    renameSync(path, away);
    await folder.sync(); // nothing is left to save
  }),
);

test.run();
