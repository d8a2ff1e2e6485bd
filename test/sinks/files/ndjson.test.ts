import { getEventListeners } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { ndjson } from '../../../sinks/files/ndjson.js';
import type { OpenFile } from '../../../sinks/files/output-file.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { systemError, withWrite } from '../disk.js';
import { calm, filesIn, inFolder, pageEnd, rejection } from '../lib.js';

const first = batchOf('users', [{ id: 1 }, { id: 2 }]);
const second = batchOf('users', [{ id: 3 }]);
/** Smaller batches are gathered: test/sinks/files/gathering.test.ts. */
const large = batchOf('users', ['x'.repeat(64 * 1024)]);

test(
  'writes beside the name and takes it only on close',
  inFolder(async (dir) => {
    const out = join(dir, 'new', 'out');
    const sink = ndjson(out);
    const { signal } = new AbortController();
    await sink.open?.('users', 'job');
    await sink.write(first, signal);
    await sink.durable?.();
    assert.equal(filesIn(out), { 'users.ndjson.partial': '{"id":1}\n{"id":2}\n' });
    await sink.write(second, signal);
    assert.is(getEventListeners(signal, 'abort').length, 0);
    await sink.close();
    assert.equal(filesIn(out), { 'users.ndjson': '{"id":1}\n{"id":2}\n{"id":3}\n' });
  }),
);

test(
  'keeps the earlier file until the run has succeeded, and replaces a stale partial one',
  inFolder(async (dir) => {
    writeFileSync(join(dir, 'users.ndjson'), 'earlier\n');
    writeFileSync(join(dir, 'users.ndjson.partial'), 'stale and much longer than what comes now\n');
    const sink = ndjson(dir);
    await sink.write(second, calm);
    await sink.durable?.();
    assert.equal(filesIn(dir), { 'users.ndjson': 'earlier\n', 'users.ndjson.partial': '{"id":3}\n' });
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': '{"id":3}\n' });
  }),
);

test(
  'lets of two sinks in one directory only the later one publish, and what it wrote alone',
  inFolder(async (dir) => {
    const earlier = ndjson(dir);
    await earlier.write(first, calm);
    const later = ndjson(dir);
    await later.write(second, calm);
    await earlier.write(first, calm);
    await rejection(() => earlier.close(), 'ERR_SINK', /cannot publish ".*\.partial": another run has replaced it/);
    assert.equal(filesIn(dir), { 'users.ndjson.partial': '{"id":3}\n' });
    await later.close();
    assert.equal(filesIn(dir), { 'users.ndjson': '{"id":3}\n' });
  }),
);

test(
  'leaves an empty file for a data type without items',
  inFolder(async (dir) => {
    const sink = ndjson(dir);
    await sink.open?.('users', 'job');
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': '' });
    assert.equal(sink.summary?.(), [{ dataType: 'users', name: join(dir, 'users.ndjson'), items: 0, bytes: 0 }]);
  }),
);

test(
  'touches nothing when no data type came',
  inFolder(async (dir) => {
    const sink = ndjson(join(dir, 'out'));
    await sink.close();
    assert.equal(filesIn(dir), {});
  }),
);

test(
  'leaves the earlier file and whole lines on abort',
  inFolder(async (dir) => {
    writeFileSync(join(dir, 'users.ndjson'), 'earlier\n');
    const sink = ndjson(dir);
    await sink.write(first, calm);
    await sink.abort(new Error('interrupted'));
    await sink.abort(new Error('again'));
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': 'earlier\n', 'users.ndjson.partial': '{"id":1}\n{"id":2}\n' });
  }),
);

test(
  'cuts back to the last commit, in the file and in the summary',
  inFolder(async (dir) => {
    const sink = ndjson(dir);
    await sink.write(first, calm);
    await sink.commit?.(pageEnd('users'), calm);
    await sink.write(second, calm);
    await sink.durable?.();
    await sink.rollback?.('users');
    await sink.rollback?.('users');
    assert.equal(filesIn(dir), { 'users.ndjson.partial': '{"id":1}\n{"id":2}\n' });
    const counts = { dataType: 'users', items: 2, bytes: 18 };
    const partial = { ...counts, name: join(dir, 'users.ndjson.partial'), unfinished: true };
    assert.equal(sink.summary?.(), [partial], 'the file that there is');
    await sink.close();
    assert.equal(sink.summary?.(), [{ ...counts, name: join(dir, 'users.ndjson') }]);
  }),
);

test(
  'gives data types that meet in one name files of their own, and says so',
  inFolder(async (dir) => {
    const notices: Notice[] = [];
    const sink = ndjson(dir, { notify: (notice) => notices.push(notice) });
    await Promise.all([sink.open?.('a/b', '1'), sink.open?.('A_B', '2'), sink.open?.('a/b', '3')]);
    await sink.write(batchOf('a/b', [1]), calm);
    await sink.write(batchOf('A_B', [2]), calm);
    await sink.close();
    const files = filesIn(dir);
    assert.is(files['a_b.ndjson'], '1\n');
    assert.equal(Object.values(files).sort(), ['1\n', '2\n']);
    assert.equal(
      notices.map(({ level, code }) => `${level} ${code}`),
      ['info file-name'],
    );
    assert.match(
      notices[0]?.message ?? '',
      /^"A_B" is written to ".*A_B-[0-9a-f]{8}\.ndjson", because "a\/b" has the same/,
    );
  }),
);

test(
  'writes on where the system took a part',
  inFolder(async (dir) => {
    const openFile = withWrite((real) => (bytes, offset, length, at) => real(bytes, offset, Math.min(5, length), at));
    const sink = ndjson(dir, { openFile });
    await sink.write(first, calm);
    await sink.write(second, calm);
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': '{"id":1}\n{"id":2}\n{"id":3}\n' });
  }),
);

for (const [code, errno, words] of [
  ['ENOSPC', -28, 'no space left on device'],
  ['EFBIG', -27, 'file too large'],
  ['EIO', -5, 'i/o error'],
] as const) {
  test(
    `names the file and says ${code} in words, and leaves whole lines`,
    inFolder(async (dir) => {
      let writes = 0;
      const openFile = withWrite((real) => async (bytes, offset, length, at) => {
        writes += 1;
        if (writes === 3) throw systemError(code, errno);
        return real(bytes, offset, writes === 2 ? 3 : length, at);
      });
      const sink = ndjson(dir, { openFile });
      await sink.write(second, calm);
      await sink.write(large, calm);
      const error = await rejection(sink.write(second, calm), 'ERR_SINK', /^cannot write ".*users\.ndjson\.partial": /);
      assert.ok(error.message.includes(code), error.message);
      if (process.platform === 'linux') assert.ok(error.message.endsWith(`: ${words} (${code})`), error.message);
      await sink.abort(error);
      assert.equal(filesIn(dir), { 'users.ndjson.partial': '{"id":3}\n' });
    }),
  );
}

test(
  'opens nothing more once it has ended',
  inFolder(async (dir) => {
    const sink = ndjson(dir);
    await sink.abort(new Error('so'));
    await rejection(sink.open?.('users', 'job'), 'ERR_SINK', /^the ndjson sink is closed/);
    assert.equal(filesIn(dir), {});
  }),
);

test(
  'refuses to begin where a directory has the name of the file',
  inFolder(async (dir) => {
    mkdirSync(join(dir, 'users.ndjson'));
    await rejection(ndjson(dir).open?.('users', 'job'), 'ERR_SINK', /users\.ndjson": it is a directory$/);
  }),
);

test(
  'names the directory that cannot be made',
  inFolder(async (dir) => {
    writeFileSync(join(dir, 'file'), '');
    await rejection(
      ndjson(join(dir, 'file', 'out')).open?.('users', 'job'),
      'ERR_SINK',
      /^cannot create the directory ".*out": .*\(E[A-Z]+\)$/,
    );
  }),
);

test(
  'names the file that cannot be created',
  inFolder(async (dir) => {
    const openFile = () => Promise.reject(systemError('EACCES', -13));
    const sink = ndjson(dir, { openFile });
    await rejection(
      sink.open?.('users', 'job'),
      'ERR_SINK',
      /^cannot create ".*partial": permission denied \(EACCES\)$/,
    );
    await sink.abort(new Error('so'));
  }),
);

test(
  'publishes nothing when one file cannot be saved',
  inFolder(async (dir) => {
    const openFile: OpenFile = async (path, flags) => {
      const handle = await open(path, flags);
      if (path.includes('users')) handle.sync = () => Promise.reject(systemError('EIO', -5));
      return handle;
    };
    const sink = ndjson(dir, { openFile });
    await sink.write(batchOf('first', [1]), calm);
    await sink.write(first, calm);
    await rejection(sink.close(), 'ERR_SINK', /^cannot save ".*users\.ndjson\.partial"/);
    assert.equal(Object.keys(filesIn(dir)), ['first.ndjson.partial', 'users.ndjson.partial']);
  }),
);

test.run();
