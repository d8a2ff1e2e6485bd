/**
 * A process of a member that writes parts, for tests that kill and suspend it: `DIR MEMBER EPOCH FATE PLACE PAGE`. The
 * parent has the journal, and answers each record; what it refuses ends the process.
 */
import { once } from 'node:events';
import { sinkFromUri } from '../../sinks/registry.js';
import { type Exact, stringifyExact } from '../../src/core/json/exact.js';
import { calm, earlierOf } from '../sinks/lib.js';
import { batchOfPage, endOfPage, jobs, pages } from './parts-pages.js';

const [dir = '', member = '', epoch = '', fate = '', place = '', at = ''] = process.argv.slice(2);

const send = (message: object) => new Promise<void>((resolve) => process.send?.(message, () => resolve()));

/** Sends a message, and waits for its answer. */
async function ask(message: object): Promise<unknown> {
  const answer = once(process, 'message');
  await send(message);
  return (await answer)[0];
}

let isReached = false;

/** Here the process is killed or suspended, once, if that is its fate. */
async function reach(name: string, page: number): Promise<void> {
  if (isReached || fate === 'none' || name !== place || page !== Number(at)) return;
  isReached = true;
  await send({ type: 'fate' });
  process.kill(process.pid, fate === 'killed' ? 'SIGKILL' : 'SIGSTOP');
}

async function work(): Promise<void> {
  const { done, checkpoints } = (await ask({ type: 'ready' })) as { done: number; checkpoints: [string, string][] };
  const sink = sinkFromUri(`parts:${dir}`);
  const left = new Map<string, Exact>(checkpoints);
  await sink.resume?.(earlierOf({ member, epoch: Number(epoch), checkpoints: left }));
  for (const [job, dataType] of jobs) await sink.open?.(dataType, job);
  await reach('resume', done);
  for (let page = done; page < pages; page += 1) {
    const records: [string, string][] = [];
    for (const [job, dataType] of jobs) {
      await sink.write(batchOfPage(member, dataType, job, page), calm);
      await reach('write', page);
      const committing = Promise.resolve(sink.commit?.(endOfPage(member, dataType, job, page), calm));
      await reach('commit', page);
      records.push([dataType, JSON.parse(stringifyExact((await committing) ?? null)) as string]);
    }
    await reach('committed', page);
    if ((await ask({ type: 'record', page, checkpoints: records })) !== 'stored') process.exit(3);
  }
  await sink.leave?.();
}

await work();
process.exit(0);
