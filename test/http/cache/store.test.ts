/** The cache folder: how long responses are kept, and what happens if files have changed. */
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../../sinks/contract.js';
import { memory } from '../../../sinks/index.js';
import { createSeal } from '../../../src/http/cache/cache-entry.js';
import { json } from '../../loopback/api.js';
import { rejection } from '../../sinks/lib.js';
import { startClock, type VirtualClock } from '../../support/virtual-clock.js';
import { posixMissing, testWhere } from '../../where.js';
import { inSetting, numbered, type Setting } from './setting.js';

const timed = (work: (setting: Setting, clock: VirtualClock) => Promise<void>) =>
  inSetting(numbered, async (setting) => {
    const clock = startClock();
    try {
      await work(setting, clock);
    } finally {
      clock.stop();
    }
  });

for (const [cache, seconds] of [
  [{ ttl: 60 }, 60],
  [{ ttl: '60' }, 60],
  [true, 604_800],
  ['true', 604_800],
  [1, 604_800],
] as const) {
  test(
    `with ${JSON.stringify(cache)} a response is valid for ${seconds} seconds`,
    timed(async ({ play }, clock) => {
      await play({ cache });
      clock.pass(seconds * 1000 - 1);
      assert.equal((await play({ cache })).items, [1]);
      clock.pass(1);
      assert.equal((await play({ cache })).items, [2], 'it has expired');
      clock.pass(seconds * 1000 - 1);
      assert.equal((await play({ cache })).items, [2], 'the new one holds as long');
    }),
  );
}

test(
  'a shorter time applies to stored responses too',
  timed(async ({ play }, clock) => {
    await play({ cache: { ttl: 1000 } });
    clock.pass(20_000);
    assert.equal((await play({ cache: { ttl: 10 } })).items, [2]);
  }),
);

test(
  'a response from the future, after the clock was set back, is not valid',
  inSetting(numbered, async ({ play }) => {
    const clock = startClock();
    clock.pass(1e13);
    await play().finally(clock.stop);
    assert.equal((await play()).items, [2]);
  }),
);

test(
  'the next run removes expired responses, and no files of other programs',
  timed(async ({ play, folder, names }, clock) => {
    const short = { cache: { ttl: 60 } };
    await play({ ...short, config: { jobs: [{ endpoint: 'a' }, { endpoint: 'b' }] } });
    await play({ cache: { ttl: 3600 }, config: { jobs: [{ endpoint: 'c' }] } });
    const [kept = ''] = names();
    const draft = (age: number) => {
      const path = join(folder, `${kept}.${String(age).padStart(16, '0')}.partial`);
      writeFileSync(path, '');
      const at = (Date.now() - age) / 1000;
      utimesSync(path, at, at);
    };
    draft(1000);
    draft(2 * 24 * 60 * 60 * 1000);
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    utimesSync(join(folder, 'notes.txt'), 1, 1);
    clock.pass(60_000);
    await play({ ...short, config: { jobs: [{ endpoint: 'd' }] } });
    const left = names()
      .map((name) => name.replace(/^[\da-f]{64}/, 'KEY'))
      .sort();
    assert.equal(left, ['KEY', 'KEY', 'KEY.0000000000001000.partial', 'notes.txt']);
  }),
);

test(
  'a copied folder with old dates still works, and unreadable files are removed after a day',
  timed(async ({ play, folder, names }) => {
    await play();
    for (const name of names()) utimesSync(join(folder, name), 1, 1);
    const torn = join(folder, 'f'.repeat(64));
    writeFileSync(torn, 'torn');
    const day = 24 * 60 * 60;
    utimesSync(torn, Date.now() / 1000 - day + 1, Date.now() / 1000 - day + 1);
    assert.equal([(await play()).asked, names().length], [[], 2]);
    utimesSync(torn, Date.now() / 1000 - day, Date.now() / 1000 - day);
    assert.equal([(await play()).asked, names().length], [[], 1]);
  }),
);

const short = Array.from({ length: 19 }, (_, id) => ({ id, text: 'x'.repeat(20) }));

/** Several batches. */
const long = Array.from({ length: 60_000 }, (_, id) => ({ id, text: 'x'.repeat(20) }));

const damages: readonly (readonly [damage: string, (file: Buffer) => Buffer])[] = [
  ['empty', () => Buffer.alloc(0)],
  ['one byte', (file) => file.subarray(0, 1)],
  ['cut within its head', (file) => file.subarray(0, 20)],
  ['cut behind its head', (file) => file.subarray(0, file.indexOf('\n') + 1)],
  ['cut within its body', (file) => file.subarray(0, file.length / 2)],
  ['cut by one byte', (file) => file.subarray(0, -1)],
  ['longer by one byte', (file) => Buffer.concat([file, Buffer.of(0)])],
  ['changed in its head', (file) => flipped(file, 15)],
  ['changed in its body', (file) => flipped(file, file.length - 100)],
  ['changed in its digest', (file) => flipped(file, file.length - 1)],
  ['all zeros', (file) => Buffer.alloc(file.length)],
  ['something else', () => Buffer.from('{"a": 1}\n[1, 2, 3]\n'.repeat(10))],
];

function flipped(file: Buffer, at: number): Buffer {
  const changed = Buffer.from(file);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

for (const [damage, make] of damages) {
  test(
    `a file that is ${damage} is reported, and the request is sent`,
    inSetting(
      () => json(short),
      async ({ play, folder, names }) => {
        await play();
        const path = join(folder, names()[0] ?? '');
        const whole = readFileSync(path);
        writeFileSync(path, make(whole));
        const { items, asked, codes } = await play();
        assert.equal([items.length, asked, codes], [short.length, ['GET /a'], ['cache-broken']]);
        assert.equal((await play()).asked, [], 'the new answer is whole');
      },
    ),
  );
}

test(
  'a file of another version is requested again',
  inSetting(numbered, async ({ play, folder, names }) => {
    await play();
    const content = Buffer.from('{"format":"rxtract 0"}\n[1]');
    const seal = createSeal();
    seal.add(content);
    writeFileSync(join(folder, names()[0] ?? ''), Buffer.concat([content, seal.end()]));
    const { asked, notices } = await play();
    assert.is(asked.length, 1);
    assert.match(notices[0]?.message ?? '', /another version of rxtract wrote it; it is requested again$/);
  }),
);

test(
  'under strict a broken file is an error once: the next run requests it',
  inSetting(numbered, async ({ play, folder, names }) => {
    await play();
    truncateSync(join(folder, names()[0] ?? ''), 10);
    await rejection(play({}, { strict: true }), 'ERR_STRICT', /cached response/);
    assert.equal((await play({}, { strict: true })).items, [2]);
  }),
);

test(
  'a file cut while it is read rolls its page back, and the request is sent',
  inSetting(
    () => json(long),
    async ({ play, folder, names }) => {
      const clock = startClock();
      await play();
      const file = join(folder, names()[0] ?? '');
      const sink = memory();
      let isCut = false;
      const to: Sink = {
        ...sink,
        async write(batch, signal) {
          if (!isCut) truncateSync(file, 600_000);
          isCut = true;
          await sink.write(batch, signal);
        },
      };
      const more = { api: { retryConfig: { maxRetries: 1 } } };
      const { asked } = await play(more, { to, notify: () => clock.passSoon(1000) }).finally(clock.stop);
      assert.is(sink.items().length, long.length, 'no item twice');
      assert.equal(asked, ['GET /a']);
    },
  ),
);

test(
  'a folder that cannot be created is reported once, and the run continues without',
  inSetting(numbered, async ({ play, folder }) => {
    writeFileSync(folder, 'a file');
    const jobs = [{ endpoint: 'a' }, { endpoint: 'b' }, { endpoint: 'a', dataType: 'c' }];
    const { asked, codes, notices } = await play({ config: { jobs } });
    assert.equal([asked.length, codes], [3, ['cache-not-written']]);
    assert.match(notices[0]?.message ?? '', /cannot be written: .* \(EEXIST\); responses are not cached$/);
  }),
);

test(
  'a folder removed during a run is reported once, and the run continues without',
  inSetting(numbered, async ({ play, folder }) => {
    const jobs = ['a', 'b', 'c'].map((endpoint) => ({ endpoint }));
    const onReceipt = () => rmSync(folder, { recursive: true, force: true });
    const { items, codes } = await play({ config: { jobs } }, { onReceipt });
    assert.equal([items, codes], [[1, 2, 3], ['cache-not-written']]);
  }),
);

test(
  'files that a sweep cannot read are left to the next run',
  inSetting(numbered, async ({ play, folder }) => {
    mkdirSync(folder);
    symlinkSync('nowhere', join(folder, '0'.repeat(64)));
    const { items, codes } = await play();
    assert.equal([items, codes], [[1], []]);
    assert.equal((await play()).asked, []);
  }),
);

test(
  'a response that cannot be stored is reported, and leaves no file',
  inSetting(numbered, async ({ play, folder, names }) => {
    await play();
    const [name = ''] = names();
    unlinkSync(join(folder, name));
    mkdirSync(join(folder, name));
    const { items, codes } = await play();
    assert.equal([items, codes], [[2], ['cache-broken', 'cache-not-written']]);
    assert.equal(names(), [name]);
  }),
);

testWhere(posixMissing)(
  'a pipe in place of a cached response is removed, and the answer asked for anew',
  inSetting(numbered, async ({ play, folder, names }) => {
    await play();
    const [kept = ''] = names();
    unlinkSync(join(folder, kept));
    spawnSync('mkfifo', [join(folder, kept)]);
    assert.equal((await play()).items, [2]);
    assert.equal((await play()).items, [2], 'the new one is kept');
  }),
);

test.run();
