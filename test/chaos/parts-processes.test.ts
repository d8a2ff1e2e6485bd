/** Processes of members that are killed and suspended: what wakes up after the end of the run changes nothing. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sinkFromUri } from '../../sinks/registry.js';
import { calm, earlierOf, inFolder } from '../sinks/lib.js';
import { bytesIn, readParts } from '../sinks/parts/lib.js';
import { mulberry32 } from '../support/mulberry32.js';
import { batchOfPage, endOfPage, jobs, memberNames, pages } from './parts-pages.js';

const seed = Number(process.env.SEED ?? Date.now() % 100_000);
const script = fileURLToPath(new URL('parts-member.ts', import.meta.url));
const fates = ['none', 'killed', 'suspended'] as const;
const places = ['resume', 'write', 'commit', 'committed'] as const;

/** What a process has sent. */
interface Message {
  readonly type: 'ready' | 'fate' | 'record';
  readonly page: number;
  readonly checkpoints: readonly [string, string][];
}

interface Journal {
  epoch: number;
  done: number;
  readonly checkpoints: Map<string, string>;
}

const below = (draw: () => number, most: number): number => draw() % most;

/** One process of a member. Resolves when it has ended, or is suspended. */
async function live(dir: string, member: string, journal: Journal, draw: () => number): Promise<ChildProcess> {
  journal.epoch += 1;
  const { epoch } = journal;
  const fate = fates[below(draw, 3)] ?? 'none';
  const place = places[below(draw, 4)] ?? 'write';
  const at = place === 'resume' ? journal.done : journal.done + below(draw, 3);
  const child = fork(script, [dir, member, String(epoch), fate, place, String(at)], { execArgv: ['--import', 'tsx'] });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => (code === 1 ? reject(new Error(`a process of ${member} has failed`)) : resolve()));
    child.on('message', (message: Message) => {
      if (message.type === 'ready') child.send({ done: journal.done, checkpoints: [...journal.checkpoints] });
      if (message.type === 'fate' && fate === 'suspended') resolve();
      if (message.type !== 'record') return;
      // The journal is fenced: it takes nothing of an older process.
      if (journal.epoch !== epoch) return void child.send('refused');
      journal.done = message.page + 1;
      for (const [dataType, checkpoint] of message.checkpoints) journal.checkpoints.set(dataType, checkpoint);
      child.send('stored');
    });
  });
  return child;
}

test(
  `members that are killed and suspended (SEED=${seed})`,
  inFolder(async (dir) => {
    const draw = mulberry32(seed);
    const alone = sinkFromUri(`csv:${join(dir, 'alone')}`);
    await alone.resume?.(earlierOf());
    for (const [job, dataType] of jobs) await alone.open?.(dataType, job);
    for (const member of memberNames) {
      for (let page = 0; page < pages; page += 1) {
        for (const [job, dataType] of jobs) {
          await alone.write(batchOfPage(member, dataType, job, page), calm);
          await alone.commit?.(endOfPage(member, dataType, job, page), calm);
        }
      }
    }
    await alone.close();
    const expected = bytesIn(join(dir, 'alone'));

    const parts = join(dir, 'parts');
    const children: ChildProcess[] = [];
    const work = memberNames.map(async (member) => {
      const journal: Journal = { epoch: 0, done: 0, checkpoints: new Map() };
      while (journal.done < pages) children.push(await live(parts, member, journal, draw));
      return [member, journal.checkpoints] as const;
    });
    const members = new Map(await Promise.all(work));
    const last = sinkFromUri(`parts:${parts}?gather=csv:${join(dir, 'shared')}`);
    await last.resume?.(earlierOf({ phase: 'publishing', members }));
    for (const [job, dataType] of jobs) await last.open?.(dataType, job);
    await last.close();
    assert.equal(bytesIn(join(dir, 'shared')), expected);

    const suspended = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    for (const child of suspended) {
      child.kill('SIGCONT');
      await once(child, 'exit');
    }
    for (const [, dataType] of jobs) {
      assert.is(readParts(parts, dataType).length, memberNames.length * pages * 3);
    }
    assert.equal(bytesIn(join(dir, 'shared')), expected);
    console.log(`${children.length} processes, ${suspended.length} were suspended`);
  }),
);

test.run();
