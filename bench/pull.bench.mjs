// How fast is a whole pull to NDJSON, against the loop that a script would write? 1,000 items of about 340 bytes a
// page, over loopback, to a file. Both in processes of their own, in turn, start-up taken off by a pull of one page.
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command, machine, measure, median, scratch, startServer } from './harness.mjs';

/** How the loop writes; see hand-loop.mjs. */
const loops = ['stream', 'page', 'line', 'bytes'];
const loop = fileURLToPath(new URL('hand-loop.mjs', import.meta.url));

export const question = 'How fast is a whole pull to NDJSON, against a hand-written loop?';

export async function run({ pages = 600, rounds = 5 } = {}) {
  return scratch(async (dir) => {
    const long = await startServer({ PAGES: String(pages) });
    const short = await startServer({ PAGES: '1' });
    try {
      const runs = new Map(['rxtract', ...loops].map((name) => [name, []]));
      for (let round = 0; round < rounds; round++) {
        for (const [name, each] of runs) {
          const one = name === 'rxtract' ? pull : (...where) => handLoop(...where, name);
          each.push(beyond(await one(dir, long.origin), await one(dir, short.origin)));
        }
      }
      const bytes = await sameOutput(dir, long.origin);
      const rows = [...runs].map(([name, each]) => ({
        variant: name === 'rxtract' ? name : `hand-written loop, ${name}`,
        'MB/s': Math.round(bytes / 1e6 / median(each.map(({ seconds }) => seconds))),
        'CPU s': +median(each.map(({ cpu }) => cpu)).toFixed(2),
      }));
      return rows.map((row) => ({ ...row, 'rxtract is': +(rows[0]['MB/s'] / row['MB/s']).toFixed(2) }));
    } finally {
      long.stop();
      short.stop();
    }
  });
}

/** The long run minus the short one: both have the same start-up. */
const beyond = (long, short) => ({ seconds: long.seconds - short.seconds, cpu: long.cpu - short.cpu });

async function pull(dir, origin) {
  const config = join(dir, 'config.json');
  await writeFile(
    config,
    JSON.stringify({
      api: { baseUrl: `${origin}/`, pagination: { method: 'pagenum' } },
      config: { jobs: [{ endpoint: 'items', dataField: 'data', dataType: 'items' }] },
    }),
  );
  await rm(join(dir, 'out'), { recursive: true, force: true });
  return measure([command, 'run', config, '--quiet', '--to', `ndjson:${join(dir, 'out')}`]);
}

async function handLoop(dir, origin, writes) {
  await rm(join(dir, 'loop.ndjson'), { force: true });
  return measure([loop, origin, join(dir, 'loop.ndjson'), writes]);
}

async function sameOutput(dir, origin) {
  await pull(dir, origin);
  await handLoop(dir, origin, 'page');
  const [ours, theirs] = [join(dir, 'out', 'items.ndjson'), join(dir, 'loop.ndjson')];
  if (!(await readFile(ours)).equals(await readFile(theirs))) throw new Error('the two pulls differ');
  return (await stat(ours)).size;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
