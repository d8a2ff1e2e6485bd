/**
 * A journal that is cut at any byte: the run continues after the last complete record, with the rows that its child
 * jobs still need, and the output is that of an uninterrupted run. docs/06-resume.md#what-is-in-the-folder
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../sinks/contract.js';
import { csv } from '../../sinks/csv/csv.js';
import { ndjson } from '../../sinks/files/ndjson.js';
import { parquet } from '../../sinks/parquet/parquet.js';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.js';
import { recordIn } from '../../src/checkpoint/records.js';
import { stateFolder } from '../../src/checkpoint/store/folder-store.js';
import { recordsIn } from '../../src/checkpoint/store/journal-lines.js';
import { extract, run } from '../../src/run/extract.js';
import type { Api } from '../loopback/api.js';
import { sinkAt } from '../sinks/s3/lib.js';
import { type FakeS3, startFakeS3 } from '../support/fake-s3.js';
import { mulberry32 } from '../support/mulberry32.js';
import { configurationOf, onServer, type Scene, scenes } from './scenes.js';

const scene = scenes.find(({ what }) => what.startsWith('children')) as Scene; // it is in the list

/** A destination in a folder of its own. */
interface Destination {
  readonly what: string;
  make(dir: string, store: FakeS3): Sink;
}

/** The first one also has the journal of a run that was never resumed. */
const destinations: readonly Destination[] = [
  { what: 'ndjson in parts', make: (dir) => ndjson(dir, { rotateBytes: 100 }) },
  { what: 'csv', make: (dir) => csv(dir) },
  { what: 'parquet', make: (dir) => parquet(dir) },
  {
    what: 's3 in parts',
    make: (_, { origin }) => sinkAt(`s3://lake/raw?endpoint=${origin}`, { partBytes: 100 }),
  },
];

/** The bytes of all files of the folder and of all objects, by name. */
function outputOf(dir: string, { objects }: FakeS3): Readonly<Record<string, string>> {
  const names = existsSync(dir) ? readdirSync(dir) : [];
  const files = names.map((name) => [name, readFileSync(join(dir, name), 'base64')] as const);
  return Object.fromEntries([...files, ...[...objects].map(([name, { bytes }]) => [name, bytes.toString()] as const)]);
}

interface Interrupted {
  readonly dir: string;
  readonly pages: number;
  readonly resume: boolean;
}

/** Runs until so many pages are complete, then interrupts. The state is in `st`, the output in `out`. */
async function interrupted(server: Api, sink: Sink, { dir, pages, resume }: Interrupted): Promise<void> {
  const checkpoint = await openCheckpoint(stateFolder(join(dir, 'st')), { resume });
  const { receipts, closed, stop } = extract(configurationOf(scene, server.origin), { to: sink, checkpoint });
  let count = 0;
  await new Promise<void>((resolve, reject) => {
    const subscription = receipts.subscribe({
      next() {
        count += 1;
        if (count !== pages) return;
        const leave = () => {
          subscription.unsubscribe();
          resolve();
        };
        stop().then(leave, reject);
      },
      error: reject,
    });
  });
  await closed;
}

/** Every end of a line, and some bytes that are drawn: a line that is cut does not count. */
function cutsOf(journal: Buffer, random: () => number): readonly number[] {
  const ends = [...journal.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []));
  const drawn = Array.from({ length: 4 }, () => random() % journal.length);
  const [first = 0] = ends;
  return [...ends, ...drawn.filter((at) => at > first)];
}

/** How many pages the records have. */
const pagesIn = (records: readonly string[]): number =>
  records.map(recordIn).reduce((sum, record) => {
    if (record.type === 'snapshot') return record.shares.reduce((all, [, { pages }]) => all + pages, 0);
    return record.type === 'page' ? sum + 1 : sum;
  }, 0);

for (const { what, make } of destinations) {
  test(
    `a run into ${what} is continued wherever its journal is cut`,
    onServer(scene, async (server, dir) => {
      const seed = Math.floor(Math.random() * 2 ** 31);
      const random = mulberry32(seed);
      const store = await startFakeS3();
      const asked = () => server.requests.filter(({ target }) => scene.isFree?.(target) !== true).length;
      const into = async (folder: string, resume: boolean) => {
        const given = { to: make(join(folder, 'out'), store), store: stateFolder(join(folder, 'st')), resume };
        await run(configurationOf(scene, server.origin), given);
        return outputOf(join(folder, 'out'), store);
      };
      const whole = await into(join(dir, 'whole'), false);
      const all = asked();
      for (const generation of [1, 2]) {
        const source = join(dir, 'source');
        store.objects.clear();
        const sink = make(join(source, 'out'), store);
        await interrupted(server, sink, { dir: source, pages: 7 * generation, resume: generation > 1 });
        const journal = readFileSync(join(source, 'st', 'journal'));
        const isTried = generation === 2 || make === destinations[0]?.make;
        for (const cut of isTried ? cutsOf(journal, random) : []) {
          const copy = join(dir, `cut-${generation}-${cut}`);
          mkdirSync(copy, { recursive: true });
          cpSync(source, copy, { recursive: true });
          truncateSync(join(copy, 'st', 'journal'), cut);
          const [before, done] = [asked(), pagesIn(recordsIn(journal.subarray(0, cut)))];
          store.objects.clear();
          const where = `seed ${seed}, generation ${generation}, cut at byte ${cut} of ${journal.length}`;
          const output = await into(copy, true).catch((thrown: unknown) => assert.unreachable(`${where}: ${thrown}`));
          assert.equal(output, whole, where);
          assert.is(asked() - before, all - done, `${where}: requests`);
        }
      }
      await store.close();
    }),
  );
}

test.run();
