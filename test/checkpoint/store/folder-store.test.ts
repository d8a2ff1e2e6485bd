/** A folder as a store: modes, what is there after a crash, and what is in the way. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stateFolder } from '../../../src/checkpoint/store/folder-store.js';
import { linesOf } from '../../../src/checkpoint/store/journal-lines.js';
import { takeLock } from '../../../src/checkpoint/store/lock.js';
import { filesIn, inFolder, rejection } from '../../sinks/lib.js';
import { posixMissing, testWhere } from '../../where.js';

test(
  'what was replaced, appended and brought to the disk is there when it is opened again, in order',
  inFolder(async (dir) => {
    const path = join(dir, 'a', 'state');
    const store = await stateFolder(path).open();
    assert.equal(store.records, []);
    await store.replace(['old']);
    await store.replace(['begin']);
    await Promise.all([store.append(['1', '2']), store.sync(['3']), store.append(['4'])]);
    await store.close();
    const again = await stateFolder(path).open();
    assert.equal(again.records, ['begin', '1', '2', '3', '4']);
    await again.close();
    assert.equal(readdirSync(path), ['journal']);
  }),
);

testWhere(posixMissing)(
  'folder and files are for their owner alone',
  inFolder(async (dir) => {
    const path = join(dir, 'state');
    const store = await stateFolder(path).open();
    await store.replace(['begin']);
    const part = await store.createPart();
    await part.write(Buffer.from('rows'));
    await part.close();
    const modes = readdirSync(path).map((name) => [name, (statSync(join(path, name)).mode & 0o777).toString(8)]);
    assert.equal(modes, [
      ['journal', '600'],
      ['lock', '600'],
      ['part-1', '600'],
    ]);
    assert.is(statSync(path).mode & 0o777, 0o700);
    await store.close();
  }),
);

test(
  'parts stay, get numbers of their own, and are read again',
  inFolder(async (dir) => {
    const store = await stateFolder(dir).open();
    await store.replace(['begin']);
    const first = await store.createPart();
    await first.write(Buffer.from('ab'));
    const piece = await first.write(Buffer.from('cd'));
    await first.close();
    await store.replace(['begin']);
    await store.close();

    const again = await stateFolder(dir).open();
    const second = await again.createPart();
    assert.equal([first.name, second.name], ['part-1', 'part-2']);
    await second.close();
    const opened = await again.openPart(first.name);
    assert.is(Buffer.from(await opened.read(piece)).toString(), 'cd');
    await opened.close();
    await again.removePart(first.name);
    await again.sync([]);
    assert.equal(await again.partNames(), ['part-2']);
    await rejection(() => again.openPart(first.name), 'ERR_STATE', /no such file/);
    await again.close();
  }),
);

test(
  'a line that was torn does not count, and is gone with the next journal',
  inFolder(async (dir) => {
    const store = await stateFolder(dir).open();
    await store.replace(['begin', '1']);
    await store.close();
    appendFileSync(join(dir, 'journal'), 'deadbeef {"torn');
    const again = await stateFolder(dir).open();
    assert.equal(again.records, ['begin', '1']);
    await again.replace(again.records);
    await again.append(['2']);
    await again.close();
    const last = await stateFolder(dir).open();
    assert.equal(last.records, ['begin', '1', '2']);
    await last.close();
  }),
);

test(
  'a folder that is in use is refused, and left as it is',
  inFolder(async (dir) => {
    const store = await stateFolder(dir).open();
    await store.replace(['begin']);
    await rejection(() => stateFolder(dir).open(), 'ERR_STATE', /another run is using it/);
    await store.append(['1']);
    await store.close();
    assert.match(readFileSync(join(dir, 'journal'), 'utf8'), /begin\n.* 1\n$/);
  }),
);

const strange: readonly (readonly [what: string, name: string, content: string, says: RegExp])[] = [
  ['a journal of somebody else', 'journal', 'Dear diary\n', /state" contains a journal without its beginning: /],
  ['a journal whose first line is damaged', 'journal', `deadbeef begin\n${linesOf(['1'])}`, /without its beginning/],
  ['an empty journal', 'journal', '', /without its beginning/],
  ['parts of something else', 'part-01', 'abc', /contains "part-01", and no journal: /],
];

for (const [what, name, content, says] of strange) {
  test(
    `a folder with ${what} is refused, and left as it is`,
    inFolder(async (dir) => {
      const path = join(dir, 'state');
      mkdirSync(path);
      writeFileSync(join(path, name), content);
      await rejection(() => stateFolder(path).open(), 'ERR_STATE', says);
      assert.equal(filesIn(path), { [name]: content });
    }),
  );
}

testWhere(posixMissing)(
  'a draft that lies there already gives the journal neither its mode nor the place that it leads to',
  inFolder(async (dir) => {
    const other = join(dir, 'other');
    writeFileSync(other, 'precious', { mode: 0o644 });
    const path = join(dir, 'state');
    mkdirSync(path);
    symlinkSync(other, join(path, 'journal.new'));
    const store = await stateFolder(path).open();
    await store.replace(['begin']);
    await store.close();
    const journal = lstatSync(join(path, 'journal'));
    assert.equal([journal.isFile(), journal.mode & 0o777], [true, 0o600]);
    assert.is(readFileSync(other, 'utf8'), 'precious');
  }),
);

test(
  'a record is appended at once, unless another call is in progress',
  inFolder(async (dir) => {
    const store = await stateFolder(dir).open();
    await store.replace(['begin']);
    assert.is(store.appendNow?.('1'), true);
    const appending = store.append(['2']);
    assert.is(store.appendNow?.('3'), false);
    await appending;
    assert.is(store.appendNow?.('3'), true);
    await store.close();
    assert.throws(() => store.appendNow?.('4'), /cannot keep the state in ".*": the journal is not open/);
    const again = await stateFolder(dir).open();
    assert.equal(again.records, ['begin', '1', '2', '3']);
    await again.close();
  }),
);

test(
  'where another run has taken the folder nothing is written any more',
  inFolder(async (dir) => {
    let touch = async () => {};
    const take = async (path: string) => {
      const lock = await takeLock(path);
      touch = lock.touch;
      return lock;
    };
    const store = await stateFolder(dir, take).open();
    await store.replace(['begin']);
    const before = filesIn(dir).journal;
    writeFileSync(join(dir, 'lock'), '{"host":"elsewhere"}');
    await touch();
    const writes = [
      () => store.append(['1']),
      () => store.sync(['2']),
      () => store.replace(['3']),
      async () => store.appendNow?.('4'),
    ];
    for (const write of writes) {
      await rejection(write, 'ERR_STATE', /took over/);
    }
    assert.is(filesIn(dir).journal, before);
    await store.close();
  }),
);

test(
  'a replacement and a sync look at the lock: a process that wakes up has not noticed yet that it was taken',
  inFolder(async (dir) => {
    for (const write of ['replace', 'sync'] as const) {
      const store = await stateFolder(dir).open();
      await store.replace(['begin']);
      const before = filesIn(dir).journal;
      writeFileSync(join(dir, 'lock'), `{"host":"elsewhere"}`);
      await rejection(() => store[write](['1']), 'ERR_STATE', /took over/);
      assert.is(filesIn(dir).journal, before);
      await store.close();
      rmSync(join(dir, 'lock'));
    }
  }),
);

test(
  'what is no folder is refused by its name',
  inFolder(async (dir) => {
    const path = join(dir, 'file');
    writeFileSync(path, '');
    await rejection(
      () => stateFolder(path).open(),
      'ERR_STATE',
      /^".*file" is a file: expected a folder for the state$/,
    );
    mkdirSync(join(dir, 'state', 'journal'), { recursive: true });
    await rejection(() => stateFolder(join(dir, 'state')).open(), 'ERR_STATE', /EISDIR/);
    assert.equal(readdirSync(join(dir, 'state')), ['journal']);
  }),
);

for (const name of ['journal', 'lock']) {
  testWhere(posixMissing)(
    `a pipe in place of the ${name} is refused at once`,
    inFolder(async (dir) => {
      spawnSync('mkfifo', [join(dir, name)]);
      await rejection(() => stateFolder(dir).open(), 'ERR_STATE', /it is not a regular file$/);
      assert.equal(readdirSync(dir), [name]);
    }),
  );
}

test.run();
