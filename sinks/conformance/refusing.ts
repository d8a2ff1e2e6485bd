/** Rules on items that a destination refuses: the others arrive, and the run learns of each. */
import type { Opening, RefusedItem, Sink } from '../contract.js';
import { itemBytes } from '../messages/message-id.js';
import type { Bench, Rule } from './bench.js';
import { mustArrive } from './items.js';
import { resume, writePage } from './process.js';
import { endOf, newJournal, type ScriptJournal, type ScriptLane } from './script.js';
import { mustReject } from './watched.js';

const accepted = 'the page was accepted, although the run does not leave items out';
const missing = 'no item that the destination refuses was given: option "refused"';

export const refusingRules: readonly Rule[] = [
  {
    name: 'leaves out an item that its destination refuses, and reports it',
    async run(bench) {
      const play = await begin(bench);
      if (play === undefined) return missing;
      const reports: RefusedItem[] = [];
      await putPage(bench, play, { onItemError: (refused) => void reports.push(refused) });
      await bench.inTime('close', () => play.sink.close());
      mustArrive(await bench.read(bench.dataType), [good(1), good(2)], play.sink);
      const found = reports.map(({ batch, index }) => [batch.offset + index, textOf(batch, index)]);
      const expected = [[1, JSON.stringify(bench.refused)]];
      if (JSON.stringify(found) === JSON.stringify(expected)) return undefined;
      throw new Error(`onItemError: expected ${short(expected)}, found ${short(found)}`);
    },
  },
  {
    name: 'ends the run for a refused item, unless the run leaves it out',
    async run(bench) {
      const stop = () => {
        throw new Error('the run ends');
      };
      for (const opening of [{}, { onItemError: stop }]) {
        const play = await begin(bench);
        if (play === undefined) return missing;
        await mustReject(putPage(bench, play, opening), accepted);
      }
      return undefined;
    },
  },
];

const good = (n: number): string => JSON.stringify({ n });

interface Play {
  readonly sink: Sink;
  readonly journal: ScriptJournal;
  readonly lane: ScriptLane;
}

async function begin(bench: Bench): Promise<Play | undefined> {
  const { dataType, refused } = bench;
  if (refused === undefined) return undefined;
  const lane = { lane: '0', dataType, pages: [[{ n: 1 }, refused, { n: 2 }]] };
  return { sink: await bench.makeSink(), journal: newJournal(dataType), lane };
}

/** A page with a good item, a refused one and a good one. */
async function putPage(bench: Bench, { sink, journal, lane }: Play, opening: Opening): Promise<void> {
  const { signal } = new AbortController();
  await resume(bench, sink, journal);
  await bench.inTime('open', () => sink.open?.(lane.dataType, lane.dataType, opening));
  await writePage(bench, sink, { journal, lane, page: 0 });
  const end = endOf(journal, lane, 0);
  await bench.inTime('prepare', () => sink.prepare?.(end, signal));
  await bench.inTime('commit', () => sink.commit?.(end, signal));
}

const textOf = (batch: RefusedItem['batch'], index: number): string => Buffer.from(itemBytes(batch, index)).toString();

const short = (value: unknown): string => JSON.stringify(value).slice(0, 120);
