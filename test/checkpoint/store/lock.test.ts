/** The lock of a state: who lives keeps it, who was killed does not. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { takeLock } from '../../../src/checkpoint/store/lock.js';
import { filesIn, inFolder, rejection } from '../../sinks/lib.js';
import { linuxMissing, testWhere } from '../../where.js';

const lockIn = (dir: string) => join(dir, 'lock');
const space = process.platform === 'linux' ? readlinkSync('/proc/self/ns/pid') : '';
const holder = (more: object) => JSON.stringify({ host: hostname(), space, pid: process.pid, start: '', ...more });

/** The number of a process that has ended. */
const gone = () => spawnSync(process.execPath, ['-e', '']).pid;

test(
  'a second one is kept out with the name of the first, until that lets go',
  inFolder(async (dir) => {
    const lock = await takeLock(lockIn(dir));
    await rejection(
      () => takeLock(lockIn(dir)),
      'ERR_STATE',
      new RegExp(`another run is using it: process ${process.pid} on`),
    );
    await lock.release();
    assert.equal(filesIn(dir), {});
    const next = await takeLock(lockIn(dir));
    assert.ok(existsSync(lockIn(dir)));
    await next.release();
  }),
);

test(
  'of many that begin at once one has it',
  inFolder(async (dir) => {
    writeFileSync(lockIn(dir), holder({ pid: gone() }));
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => takeLock(lockIn(dir))));
    assert.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(readdirSync(dir), ['lock']);
  }),
);

test(
  'a process of somebody else, which may not be asked, lives',
  inFolder(async (dir) => {
    writeFileSync(lockIn(dir), holder({}));
    const kill = process.kill;
    process.kill = () => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
    };
    const watch = async () => utimesSync(lockIn(dir), 5, 5);
    try {
      await rejection(() => takeLock(lockIn(dir), { watch }), 'ERR_STATE', /another run is using it/);
    } finally {
      process.kill = kill;
    }
  }),
);

test(
  'who stood still while another took its place notices, and leaves the lock of that one alone',
  inFolder(async (dir) => {
    const lock = await takeLock(lockIn(dir));
    await lock.touch();
    lock.mustBeHeld();
    const other = holder({ host: 'elsewhere' });
    writeFileSync(lockIn(dir), other);
    utimesSync(lockIn(dir), 5, 5);
    await lock.touch();
    await rejection(async () => lock.mustBeHeld(), 'ERR_STATE', /another run took over ".*lock" while/);
    assert.is(statSync(lockIn(dir)).mtimeMs, 5000);
    await lock.release();
    assert.equal(filesIn(dir), { lock: other });
  }),
);

test(
  'what died between its claim and the lock keeps no one out either',
  inFolder(async (dir) => {
    const [first, second] = [holder({ pid: gone(), start: '1' }), holder({ pid: gone(), start: '2' })];
    const claim = (content: string) =>
      join(dir, `lock.after-${createHash('sha256').update(content).digest('hex').slice(0, 16)}`);
    writeFileSync(lockIn(dir), first);
    writeFileSync(claim(first), second);
    const lock = await takeLock(lockIn(dir));
    assert.equal(readdirSync(dir), ['lock']);
    await lock.release();
    writeFileSync(lockIn(dir), first);
    writeFileSync(claim(first), holder({}));
    const watch = async () => utimesSync(claim(first), 5, 5);
    await rejection(() => takeLock(lockIn(dir), { watch }), 'ERR_STATE', new RegExp(`process ${process.pid} on`));
    assert.is(readFileSync(lockIn(dir), 'utf8'), first);
  }),
);

const stale: readonly { readonly what: string; readonly content: () => string; readonly linux?: true }[] = [
  { what: 'a process that has ended', content: () => holder({ pid: gone() }) },
  { what: 'a process whose number another has got since', content: () => holder({ start: '1' }), linux: true },
  { what: 'a process with this number, whose start is unknown, and that does not touch it', content: () => holder({}) },
  { what: 'no one, as it was never written to its end', content: () => '{"host":' },
  { what: 'a machine that does not touch it', content: () => holder({ host: 'elsewhere' }) },
  { what: 'a container that does not touch it', content: () => holder({ space: 'another' }) },
];

for (const { what, content, linux } of stale) {
  testWhere(linux === true ? linuxMissing : undefined)(
    `what is left of ${what} keeps no one out`,
    inFolder(async (dir) => {
      writeFileSync(lockIn(dir), content());
      const lock = await takeLock(lockIn(dir), { watch: async () => {} });
      assert.match(readFileSync(lockIn(dir), 'utf8'), new RegExp(`"pid":${process.pid},`));
      await lock.release();
      assert.equal(filesIn(dir), {});
    }),
  );
}

testWhere(linuxMissing)(
  'a process that has ended, and whose parent does not ask how, does not keep the lock',
  inFolder(async (dir) => {
    // The child ends only when the shell, which would ask, has become `sleep`.
    const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec sleep 600'], {
      stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    });
    try {
      const [, output, , end] = parent.stdio;
      if (!(output instanceof Readable && end instanceof Writable)) throw new Error('no pipes');
      const pid = Number((await once(output, 'data'))[0]);
      const untilIn = async (file: string, part: string) => {
        while (!readFileSync(file, 'utf8').includes(part)) await setImmediate();
      };
      await untilIn(`/proc/${parent.pid}/stat`, '(sleep)');
      end.end();
      await untilIn(`/proc/${pid}/stat`, ') Z ');
      const start = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[21];
      writeFileSync(lockIn(dir), holder({ pid, start }));
      await (await takeLock(lockIn(dir))).release();
      assert.equal(filesIn(dir), {});
    } finally {
      parent.kill('SIGKILL');
    }
  }),
);

test(
  'a holder on another machine lives as long as it touches its lock',
  inFolder(async (dir) => {
    const me = { host: 'elsewhere', space: '', pid: 1, start: '5' };
    const lock = await takeLock(lockIn(dir), { me });
    utimesSync(lockIn(dir), 1, 1);
    await rejection(() => takeLock(lockIn(dir), { watch: lock.touch }), 'ERR_STATE', /process 1 on elsewhere holds/);
    assert.is(readFileSync(lockIn(dir), 'utf8'), JSON.stringify(me));
    await lock.release();
  }),
);

test(
  'who takes it removes the drafts that killed processes have left, and no file of another kind',
  inFolder(async (dir) => {
    const draft = (before: string) => join(dir, `${before}.${gone()}-${randomUUID()}`);
    for (const path of [
      draft('lock'),
      draft('lock.after-0123456789abcdef'),
      join(dir, 'lock.bak'),
      join(dir, 'part-1'),
    ])
      writeFileSync(path, '{"host":');
    writeFileSync(lockIn(dir), holder({ pid: gone() }));
    const lock = await takeLock(lockIn(dir));
    assert.equal(readdirSync(dir).sort(), ['lock', 'lock.bak', 'part-1']);
    await lock.release();
  }),
);

test(
  'who has lost it does not take it from the next',
  inFolder(async (dir) => {
    const lock = await takeLock(lockIn(dir));
    writeFileSync(lockIn(dir), holder({ host: 'elsewhere' }));
    await lock.release();
    assert.ok(existsSync(lockIn(dir)));
  }),
);

test.run();
