/** The file of a journal, where the disk does not take it. */
import { mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createFolder } from '../../../sinks/files/folder.js';
import { createJournalFile, readJournal } from '../../../src/checkpoint/store/journal-file.js';
import { createQuickWrites } from '../../../src/core/util/quick-writes.js';
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

test(
  'appends at once, and asynchronously while the disk is slow, in order',
  inFolder(async (dir) => {
    let isSlow = false;
    const quick = createQuickWrites();
    const journal = createJournalFile(dir, createFolder(dir), {
      write: (...piece) => !isSlow && quick.write(...piece),
    });
    await journal.replace(['begin']);
    assert.is(journal.appendNow('1'), true);
    isSlow = true;
    assert.is(journal.appendNow('2'), false);
    await journal.append(['2']);
    isSlow = false;
    assert.is(journal.appendNow('3'), true);
    assert.is(journal.appendNow('\u00e9'), true);
    await journal.append([]);
    await journal.append(['4']);
    await journal.close();
    assert.equal(await readJournal(dir, []), ['begin', '1', '2', '3', '\u00e9', '4']);
  }),
);

test.run();
