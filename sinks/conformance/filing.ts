/** The rule on files of items: each is there once and whole, with its item, whatever is killed. */
import { isObject } from '../../src/core/json/exact.js';
import { parseExact } from '../../src/core/json/exact-parse.js';
import { batchOf } from '../batch.js';
import type { FileDraft, Sink } from '../contract.js';
import type { Bench, Rule } from './bench.js';
import { commitPage, resume } from './process.js';
import { newJournal, type ScriptJournal, type ScriptLane } from './script.js';

export const filingRules: readonly Rule[] = [
  {
    name: 'has each file once, with its item, whichever call was the last one of a process',
    async run(bench) {
      const sink = await bench.makeSink();
      if (sink.file === undefined) return 'the sink has no place for files';
      if (sink.recovery !== 'cut' || bench.files === undefined) return 'the kit was given no option "files"';
      for (let kill = 1, isOver = false; !isOver; kill++) {
        isOver = await filed(bench, `${bench.dataType}-${kill}`, kill);
        await mustHaveFiles(bench, `${bench.dataType}-${kill}`);
      }
      return undefined;
    },
  },
];

/** Two of them have one name. */
const asked = ['a.txt', 'b.txt', 'a.txt'];
const contentOf = (n: number): string => `content of ${n}`;

/** Ends a process after so many calls, and runs another one to its end. Resolves to whether the first had no more. */
async function filed(bench: Bench, dataType: string, most: number): Promise<boolean> {
  const journal = newJournal(dataType);
  const lane = { lane: '0', dataType, pages: asked.map((name, n) => [{ name, n }]) };
  const drafts: FileDraft[] = [];
  const process = callsWithFiles(bench, await bench.makeSink(), { journal, lane, drafts });
  let isOver = false;
  for (let calls = 0; calls < most && !isOver; calls++) isOver = (await process.next()).done === true;
  if (!isOver) {
    for await (const _ of callsWithFiles(bench, await bench.makeSink(), { journal, lane, drafts }));
  }
  await Promise.allSettled(drafts.map((draft) => draft.leave()));
  return isOver;
}

interface FilesRun {
  readonly journal: ScriptJournal;
  readonly lane: ScriptLane;
  /** Those that were begun: a process that ends leaves them open. */
  readonly drafts: FileDraft[];
}

async function* callsWithFiles(bench: Bench, sink: Sink, { journal, lane, drafts }: FilesRun): AsyncGenerator<string> {
  const { signal } = new AbortController();
  const { inTime } = bench;
  const { dataType } = lane;
  await resume(bench, sink, journal);
  yield 'resume';
  await inTime('open', () => sink.open?.(dataType, dataType, { hasFiles: true }));
  yield 'open';
  const first = journal.phase === 'writing' ? (journal.pages.get(lane.lane) ?? 0) : asked.length;
  for (let page = first; page < asked.length; page++) {
    const place = { run: journal.run, walk: lane.lane, page };
    const draft = await inTime('file', async () => sink.file?.({ ...place, dataType, name: asked[page] ?? '' }));
    if (draft === undefined) throw new Error('file returned nothing for a data type with files');
    drafts.push(draft);
    yield* arrival(bench, draft, contentOf(page));
    const batch = batchOf(dataType, lane.pages[page] ?? [], { ...place, job: dataType, offset: 0 });
    await inTime('write', () => sink.write(batch, signal));
    yield 'write of the item';
    const checkpoint = await commitPage(bench, sink, { journal, lane, page });
    yield 'commit';
    journal.pages.set(lane.lane, page + 1);
    if (checkpoint !== undefined) journal.checkpoints.set(dataType, checkpoint);
  }
  await inTime('durable', () => sink.durable?.());
  journal.phase = 'publishing';
  yield 'durable';
  await inTime('close', () => sink.close());
}

/** A file arrives, from its beginning or after what is left. */
async function* arrival({ inTime }: Bench, draft: FileDraft, content: string): AsyncGenerator<string> {
  const bytes = Buffer.from(content);
  const { bytes: at } = draft.left ?? { bytes: 0 };
  await inTime('begin', () => draft.begin(at, '"version"'));
  yield 'begin';
  for (const part of [bytes.subarray(at, at + 5), bytes.subarray(at + 5)]) {
    await inTime('write', () => draft.write(part));
    yield 'write of the file';
  }
  await inTime('end', () => draft.end());
  yield 'end';
  await inTime('leave', () => draft.leave());
}

async function mustHaveFiles(bench: Bench, dataType: string): Promise<void> {
  const found = new Map(await bench.files?.(dataType));
  const lines = await bench.read(dataType);
  if (lines.length !== asked.length) throw new Error(`${lines.length} items were read, and ${asked.length} written`);
  for (const line of lines) {
    const item = parseExact(line);
    const [name, n] = isObject(item) ? ['name', 'n'].map((member) => String(item.get(member))) : [];
    const content = found.get(name ?? '');
    if (content !== contentOf(Number(n))) throw new Error(`the file "${name}" of an item has the content "${content}"`);
    found.delete(name ?? '');
  }
  if (found.size > 0) throw new Error(`files without an item were published: ${[...found.keys()].join(', ')}`);
}
