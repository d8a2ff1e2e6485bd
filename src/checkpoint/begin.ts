/**
 * Where a run begins: afresh, or where an earlier one stood, once its output and its rows have proved to be what that
 * had left.
 */

import type { Earlier, Sink } from '../../sinks/contract.js';
import { ExtractError } from '../core/errors/errors.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { Notify } from '../core/model/notice.js';
import { version } from '../core/util/version.js';
import type { Checkpoint } from './checkpoint.js';
import { createPosition, type Position } from './position.js';
import { type BeginRecord, format, textOf } from './records.js';
import { checkCopy, type RowsKeeper } from './rows-copy.js';
import { partsOf } from './spent-parts.js';

export interface BeginNeeds {
  readonly checkpoint: Pick<Checkpoint, 'store' | 'earlier' | 'replaces' | 'replacedRun' | 'isVain'>;
  readonly begin: Pick<BeginRecord, 'run' | 'startedAt' | 'marks'>;
  readonly sink: Sink;
  readonly notify: Notify;
  readonly outputNames: readonly string[];
}

/**
 * Brings sink and store there. Name and epoch of the run are on the disk before the sink is called. Throws ERR_RESUME
 * where neither position of the earlier run holds, with what is wrong with the last; the output is unchanged then.
 */
export async function beginAt(needs: BeginNeeds, keeper: RowsKeeper): Promise<Position> {
  const { store, earlier } = needs.checkpoint;
  const position = earlier.length === 0 ? await beginAfresh(needs) : await goOn(needs, keeper);
  const needed = partsOf(position);
  for (const name of await store.partNames()) if (!needed.has(name)) await store.removePart(name);
  return position;
}

async function beginAfresh({ begin, checkpoint, sink, notify }: BeginNeeds): Promise<Position> {
  const { store, replaces, replacedRun, isVain } = checkpoint;
  const message = 'discarding the state of an interrupted run (use --resume to continue it)';
  if (replaces) notify({ level: 'info', code: 'state-replaced', message });
  const nothing = `nothing to resume in "${store.name}": starting a new run`;
  if (isVain === true) notify({ level: 'info', code: 'nothing-to-resume', message: nothing });
  const replaced = replacedRun === undefined ? {} : { replaces: replacedRun };
  const position = createPosition({ is: 'begin', format, version, ...begin, epoch: 1, ...replaced });
  await store.replace([textOf(position.begin)]);
  await sink.resume?.(earlierAt(position, []));
  return position;
}

async function goOn(needs: BeginNeeds, keeper: RowsKeeper): Promise<Position> {
  const position = await firstThatHolds(needs, keeper);
  await needs.sink.durable?.();
  await needs.checkpoint.store.replace(recordsOf(position));
  return position;
}

async function firstThatHolds(needs: BeginNeeds, keeper: RowsKeeper): Promise<Position> {
  const { store, earlier } = needs.checkpoint;
  const records = store.records;
  let first: ExtractError | undefined;
  let isRaised = false;
  for (const position of earlier) {
    try {
      mustBeTold(position, needs.sink);
      for (const rows of position.rows()) await checkCopy(keeper, rows);
      // The raised epoch, and otherwise what was there.
      if (!isRaised) await store.replace([textOf(position.begin), ...records.slice(1)]);
      isRaised = true;
      await needs.sink.resume?.(earlierAt(position, needs.outputNames));
      needs.notify({ level: 'info', code: 'resumed', message: goingOn(position) });
      return position;
    } catch (thrown) {
      if (!(thrown instanceof ExtractError) || thrown.code !== 'ERR_RESUME') throw thrown;
      first ??= thrown;
    }
  }
  if (isRaised) await store.replace(records);
  throw first ?? new ExtractError('ERR_INTERNAL', 'there is no position to begin at');
}

/**
 * Who can say where the output stands has said so, and who cannot has not: anything else was another sink, of whose
 * items this one has none. Throws ERR_RESUME.
 */
function mustBeTold({ outputs, shares }: Position, { checkpoint }: Sink): void {
  const hasItems = [...shares.values()].some(({ items }) => items > 0);
  if (checkpoint === undefined ? outputs.size === 0 : outputs.size > 0 || !hasItems) return;
  throw new ExtractError('ERR_RESUME', 'the run wrote to another sink; resume needs the same sink');
}

function goingOn({ begin, shares, phase }: Position): string {
  const start = new Date(begin.startedAt).toISOString();
  if (phase === 'publishing') return `resuming the run of ${start}: all items are written, publishing`;
  const pages = [...shares.values()].reduce((sum, share) => sum + share.pages, 0);
  return `resuming the run of ${start}, after ${pages} page${pages === 1 ? '' : 's'}`;
}

function earlierAt({ begin, phase, outputs }: Position, names: readonly string[]): Earlier {
  const { run, epoch, replaces } = begin;
  const checkpoints = [...outputs].map(([number, text]) => [names[number] ?? '', parseExact(text)] as const);
  return {
    ...{ run, epoch, ...(replaces === undefined ? {} : { replaces }) },
    phase: phase === 'publishing' ? 'publishing' : 'writing',
    checkpoints: new Map(checkpoints),
  };
}

const recordsOf = (position: Position): readonly string[] => {
  const { begin, phase, outputs, count } = position;
  if (phase === 'publishing') {
    return [begin, position.snapshot(), { is: phase, outputs: [...outputs] } as const].map(textOf);
  }
  return (count === 0 ? [begin] : [begin, position.snapshot()]).map(textOf);
};
