/** Files of items beside the files of data types: what is left of them, names, and what a resume finds. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { filingRules } from '../../../sinks/conformance/filing.js';
import { checkRules } from '../../../sinks/conformance.js';
import type { Sink } from '../../../sinks/contract.js';
import { all } from '../../../sinks/decorators/fan-out.js';
import { openDraft } from '../../../sinks/files/file-draft.js';
import { safeFileName } from '../../../sinks/files/file-names.js';
import { ndjson } from '../../../sinks/files/ndjson.js';
import { memory } from '../../../sinks/memory.js';
import { type Exact, fromPlain } from '../../../src/core/json/exact.js';
import { calm, earlierOf, filesIn, inFolder, pageEnd, rejection } from '../lib.js';

const linesIn = (path: string) => readFileSync(path, 'utf8').split('\n').slice(0, -1);

for (const mode of ['replace', 'append'] as const) {
  test(
    `ndjson keeps the rule on files, mode=${mode}`,
    inFolder(async (dir) => {
      const find = (name: string, end: string) =>
        readdirSync(dir).find((each) => each.startsWith(`${name}.`) && each.endsWith(end)) ?? 'none';
      const checks = await checkRules(
        filingRules,
        () => ndjson(dir, { mode }),
        async (dataType) => linesIn(join(dir, find(dataType, '.ndjson'))),
        { files: async (dataType) => new Map(Object.entries(filesIn(join(dir, find(dataType, '.files'))))) },
      );
      assert.equal(
        checks.map(({ outcome, reason = '' }) => [outcome, reason]),
        [['pass', '']],
      );
      assert.equal(
        readdirSync(dir).filter((name) => /partial|replaced/.test(name)),
        [],
      );
    }),
  );
}

const faults: Readonly<Record<string, (sink: Sink) => Partial<Sink>>> = {
  'a file without its item': (sink) => ({
    async file(place) {
      const draft = await sink.file?.({ ...place, page: place.page + 100 });
      return draft;
    },
  }),
  'a file that is not continued as it was': (sink) => ({
    async file(place) {
      const draft = await sink.file?.(place);
      return draft && { ...bound(draft), begin: () => draft.begin(0), left: { bytes: 3, version: 'x' } };
    },
  }),
  'a checkpoint without its files': (sink) => ({
    async commit(page, signal) {
      const at = await sink.commit?.(page, signal);
      return at instanceof Map ? new Map([...at].filter(([name]) => name !== 'files')) : at;
    },
  }),
};

const bound = (draft: NonNullable<Awaited<ReturnType<NonNullable<Sink['file']>>>>) => ({
  write: (chunk: Uint8Array) => draft.write(chunk),
  end: () => draft.end(),
  leave: () => draft.leave(),
});

for (const [fault, change] of Object.entries(faults)) {
  test(
    `the rule on files finds ${fault}`,
    inFolder(async (dir) => {
      const make = () => {
        const sink = ndjson(dir);
        return { ...sink, ...change(sink) };
      };
      const checks = await checkRules(filingRules, make, async (dataType) => linesIn(join(dir, `${dataType}.ndjson`)), {
        files: async (dataType) => new Map(Object.entries(filesIn(join(dir, `${dataType}.ndjson.files`)))),
      });
      assert.equal(
        checks.map(({ outcome }) => outcome),
        ['fail'],
      );
    }),
  );
}

test('the rule on files does not apply without a place, or without a function that reads it', async () => {
  const none = await checkRules(
    filingRules,
    () => ({ write() {}, close() {}, abort() {} }),
    async () => [],
  );
  assert.is(none[0]?.reason, 'the sink has no place for files');
  assert.is(
    (
      await checkRules(
        filingRules,
        () => memory(),
        async () => [],
      )
    )[0]?.outcome,
    'skip',
  );
});

test(
  'a draft says what is left of it after a crash: what was saved, of its version',
  inFolder(async (dir) => {
    const path = join(dir, 'part');
    const first = await openDraft(path, 10);
    assert.is(first.left, undefined);
    await first.begin(0, '"v1"');
    await first.write(Buffer.from('0123456789'));
    await first.write(Buffer.from('abc'));
    // The process ends here.
    const second = await openDraft(path, 10);
    assert.equal(second.left, { bytes: 10, version: '"v1"' });
    await second.begin(9, '"v1"');
    await second.write(Buffer.from('9abc'));
    await second.leave();
    const third = await openDraft(path, 10);
    assert.equal(third.left, { bytes: 13, version: '"v1"' });
    await third.begin(12, '"v1"');
    await third.write(Buffer.from('c'));
    const { size, sha256 } = await third.end();
    await third.leave();
    await first.leave().catch(() => undefined);
    assert.is(size, 13);
    assert.is(readFileSync(path, 'utf8'), '0123456789abc');
    const digest = (await import('node:crypto')).createHash('sha256').update('0123456789abc').digest('hex');
    assert.is(sha256, digest);
  }),
);

test(
  'a draft without a version, and one that has lost bytes, is begun anew',
  inFolder(async (dir) => {
    const path = join(dir, 'part');
    const first = await openDraft(path, 4);
    await first.begin(0);
    await first.write(Buffer.from('0123456789'));
    await first.leave();
    assert.is((await openDraft(path, 4)).left, undefined);
    const second = await openDraft(path, 4);
    await second.begin(0, 'v');
    await second.write(Buffer.from('0123456789'));
    await second.leave();
    writeFileSync(path, '0123');
    assert.is((await openDraft(path, 4)).left, undefined);
  }),
);

/** Stores a file with its item; `commit: false` leaves the page open. */
async function add(sink: Sink, page: number, { name = 'a.txt', commit = true, more = {} } = {}) {
  const draft = await sink.file?.({ ...pageEnd('users', { page }), name });
  if (draft === undefined) throw new Error('no draft');
  await draft.begin(0);
  await draft.write(Buffer.from(`file ${page}`));
  await draft.end();
  await draft.leave();
  const { run, walk } = pageEnd('users');
  await sink.write(batchOf('users', [{ ...more, name }], { run, walk, page, job: 'users', offset: 0 }), calm);
  return commit ? ((await sink.commit?.(pageEnd('users', { page }), calm)) as Exact) : undefined;
}

async function begun(dir: string, earlier = earlierOf()): Promise<Sink> {
  const sink = ndjson(dir);
  await sink.resume?.(earlier);
  await sink.open?.('users', 'users', { hasFiles: true });
  return sink;
}

test(
  'a page that is rolled back gives its name free, and its file waits for the item',
  inFolder(async (dir) => {
    const sink = await begun(dir);
    await add(sink, 0, { commit: false });
    await sink.rollback?.('users');
    const { run, walk } = pageEnd('users');
    await sink.write(batchOf('users', [{ name: 'a.txt' }], { run, walk, page: 0, job: 'users', offset: 0 }), calm);
    await sink.commit?.(pageEnd('users'), calm);
    await add(sink, 1, { commit: false });
    await sink.rollback?.('users');
    await sink.close();
    assert.equal(filesIn(join(dir, 'users.ndjson.files')), { 'a.txt': 'file 0' });
    assert.equal(linesIn(join(dir, 'users.ndjson')), ['{"name":"a.txt"}']);
  }),
);

test(
  'the second file of a name has another one, also in the member that a select has named',
  inFolder(async (dir) => {
    const sink = await begun(dir);
    await add(sink, 0);
    await add(sink, 1, { more: { file: 'b' } });
    await sink.close();
    const [, second] = linesIn(join(dir, 'users.ndjson')).map((line) => JSON.parse(line));
    assert.match(second.name, /^a-[\da-f]{8}\.txt$/);
    assert.is(second.file, 'b');
    assert.is(filesIn(join(dir, 'users.ndjson.files'))[second.name], 'file 1');
  }),
);

test(
  'an item whose file has another name is written as the others, every digit',
  inFolder(async (dir) => {
    const sink = await begun(dir);
    const more = { type: 'application/pdf', text: 'čau', n: fromPlain(12345678901234567890n), x: 0.1 };
    await add(sink, 0, { more });
    await add(sink, 1, { more });
    await sink.close();
    const [first, second = ''] = linesIn(join(dir, 'users.ndjson'));
    assert.is(second.replace(/a-[\da-f]{8}\.txt/, 'a.txt'), first);
    assert.ok(second.includes('"application/pdf","text":"čau","n":12345678901234567890,'), second);
  }),
);

test(
  'a resume removes what came after its checkpoint, and refuses a folder that has lost files',
  inFolder(async (dir) => {
    const first = await begun(dir);
    const at = await add(first, 0);
    await add(first, 1);
    await first.durable?.();
    if (at === undefined) throw new Error('no checkpoint');
    const earlier = earlierOf({ epoch: 2, checkpoints: new Map([['users', at]]) });
    const second = await begun(dir, earlier);
    await add(second, 1, { name: 'b.txt' });
    await second.close();
    assert.equal(filesIn(join(dir, 'users.ndjson.files')), { 'a.txt': 'file 0', 'b.txt': 'file 1' });
    await rejection(() => begun(dir, { ...earlier, epoch: 3 }), 'ERR_RESUME');
  }),
);

test(
  'an end that was interrupted after the files is completed',
  inFolder(async (dir) => {
    const first = await begun(dir);
    const at = (await add(first, 0)) ?? null;
    await first.durable?.();
    mkdirSync(join(dir, 'users.ndjson.files.replaced'));
    const publish = { epoch: 2, phase: 'publishing', checkpoints: new Map([['users', at]]) } as const;
    const second = await begun(dir, earlierOf(publish));
    await second.close();
    assert.equal(readdirSync(dir).sort(), ['users.ndjson', 'users.ndjson.files']);
    // The files have their name, and the rows have not.
    writeFileSync(join(dir, 'users.ndjson.partial'), readFileSync(join(dir, 'users.ndjson')));
    rmSync(join(dir, 'users.ndjson'));
    mkdirSync(join(dir, 'users.ndjson.files.partial', 'parts'), { recursive: true });
    const third = await begun(dir, earlierOf({ ...publish, epoch: 3 }));
    await third.close();
    assert.equal(readdirSync(dir).sort(), ['users.ndjson', 'users.ndjson.files']);
    assert.equal(filesIn(join(dir, 'users.ndjson.files')), { 'a.txt': 'file 0' });
  }),
);

test(
  'a run that begins anew removes what an unfinished one has left, also one of its own name',
  inFolder(async (dir) => {
    const left = ndjson(dir, { mode: 'append' });
    await left.resume?.(earlierOf({ run: 'run-of-yesterday', startedAt: 0 }));
    await left.open?.('users', 'users', { hasFiles: true });
    await add(left, 0);
    await left.durable?.();
    await left.abort(new Error('killed'));
    assert.is(readdirSync(dir).length, 2);
    const next = ndjson(dir, { mode: 'append' });
    await next.resume?.(earlierOf({ run: 'run-of-this-day-', startedAt: 1, replaces: ['run-of-yesterday'] }));
    await next.open?.('users', 'users', { hasFiles: true });
    await next.close();
    assert.equal(readdirSync(dir), []);
  }),
);

test(
  'an earlier folder stays if the output is kept',
  inFolder(async (dir) => {
    const first = await begun(dir);
    await add(first, 0);
    await first.close();
    const second = await begun(dir);
    await second.close({ keep: new Set(['users']) });
    assert.equal(filesIn(join(dir, 'users.ndjson.files')), { 'a.txt': 'file 0' });
    const third = await begun(dir);
    await third.close();
    assert.equal(readdirSync(join(dir, 'users.ndjson.files')), []);
  }),
);

test(
  'an earlier folder that a killed end has moved away is put back by a run that does not continue it',
  inFolder(async (dir) => {
    const first = await begun(dir);
    await add(first, 0);
    await first.close();
    renameSync(join(dir, 'users.ndjson.files'), join(dir, 'users.ndjson.files.replaced'));
    const second = await begun(dir);
    assert.equal(filesIn(join(dir, 'users.ndjson.files')), { 'a.txt': 'file 0' });
    await second.close({ keep: new Set(['users']) });
    assert.equal(readdirSync(dir).sort(), ['users.ndjson', 'users.ndjson.files']);
    assert.equal(filesIn(join(dir, 'users.ndjson.files')), { 'a.txt': 'file 0' });
  }),
);

test(
  'without a state nothing outlives a run that fails',
  inFolder(async (dir) => {
    const sink = await begun(dir, earlierOf({ isStored: false }));
    const draft = await sink.file?.({ ...pageEnd('users'), name: 'a' });
    await draft?.begin(0, 'v');
    await draft?.write(Buffer.from('x'));
    await draft?.leave();
    await sink.abort(new Error('failed'));
    assert.not.ok(existsSync(join(dir, 'users.ndjson.files.partial')));
  }),
);

test(
  'a disk that takes no bytes fails with the path',
  inFolder(async (dir) => {
    const sink = await begun(dir);
    rmSync(join(dir, 'users.ndjson.files.partial'), { recursive: true });
    const draft = await sink.file?.({ ...pageEnd('users'), name: 'a' });
    await rejection(() => draft?.begin(0), 'ERR_SINK', /users\.ndjson\.files\.partial.*ENOENT|no such file/);
  }),
);

test(
  'several sinks continue a file only if all have left the same of it',
  inFolder(async (dir) => {
    const place = { ...pageEnd('users'), name: 'a.txt' };
    const open = async () => {
      const parts = await Promise.all(['a', 'b'].map((name) => begun(join(dir, name), earlierOf({ epoch: 2 }))));
      return { parts, draft: await all(parts).file?.(place) };
    };
    const first = await open();
    await first.draft?.begin(0, 'v');
    await first.draft?.write(Buffer.from('abc'));
    await first.draft?.leave();
    const second = await open();
    assert.equal(second.draft?.left, { bytes: 3, version: 'v' });
    const [one] = second.parts;
    const own = await one?.file?.(place);
    await own?.begin(3, 'v');
    await own?.write(Buffer.from('d'));
    await own?.leave();
    assert.is((await open()).draft?.left, undefined);
    assert.ok(statSync(join(dir, 'a')).isDirectory());
  }),
);

const names: readonly (readonly [string, RegExp])[] = [
  ['Invoice 12.pdf', /^Invoice_12\.pdf$/],
  ['../../x', /^__\.\._x$|^__+.*x$/],
  ['', /^file-[\da-f]{8}$/],
  ['nul', /^nul-[\da-f]{8}$/],
  ['com1.tar.gz', /^com1-[\da-f]{8}\.tar\.gz$/],
  ['a.', /^a\.-[\da-f]{8}$/],
  [`${'é'.repeat(200)}.jpeg`, /^é{100}-[\da-f]{8}\.jpeg$/],
  ['\ud800.txt', /^_\.txt$/],
];

for (const [text, expected] of names) {
  test(`"${text.slice(0, 20)}" is a safe name`, () => {
    assert.match(safeFileName(text), expected);
  });
}

test.run();
