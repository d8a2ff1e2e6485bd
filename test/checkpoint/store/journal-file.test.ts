/** The file of a journal, where the disk does not take it. */
import { mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createFolder } from '../../../sinks/folder.js';
import { createJournalFile } from '../../../src/checkpoint/store/journal-file.js';
import { inFolder } from '../../sinks/lib.js';

async function refusal(work: Promise<void>): Promise<string> {
  return work.then(
    () => 'none',
    (thrown: unknown) => String(thrown),
  );
}

/** Files that this process has open below the directory; only Linux lists them. */
function openBelow(dir: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  const all = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ''; // that of the listing itself
    }
  });
  return all.filter((path) => path.startsWith(dir));
}

test(
  'where it cannot take its name nothing stays open, no draft is left, and nothing is appended to nowhere',
  inFolder(async (dir) => {
    const journal = createJournalFile(dir, createFolder(dir));
    mkdirSync(join(dir, 'journal'));
    writeFileSync(join(dir, 'journal', 'in the way'), '');
    assert.match(await refusal(journal.replace(['begin'])), /EISDIR|ENOTEMPTY|EPERM|EEXIST/);
    assert.equal(openBelow(dir), []);
    assert.equal(readdirSync(dir), ['journal']);
    assert.match(await refusal(journal.append(['1'])), /the journal is not open/);

    rmSync(join(dir, 'journal'), { recursive: true });
    await journal.replace(['begin']);
    await journal.append(['1']);
    await journal.close();
    assert.equal(openBelow(dir), []);
  }),
);

test.run();
