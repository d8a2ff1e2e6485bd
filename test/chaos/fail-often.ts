/**
 * Children of which some fail, in processes that are killed at random and resumed: the others arrive exactly once, the
 * failures are listed, and the run that sends them again completes the rest, killed too.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, json, startApi } from '../loopback/api.js';
import { createDice } from './dice.js';
import { createKiller, type Killer, runKilled } from './killed-command.js';

export interface FailuresSeen {
  readonly seed: number;
  readonly children: number;
  readonly failed: number;
  readonly failedAgain: number;
  readonly letters: number;
  readonly processes: number;
  readonly kills: number;
  readonly requests: number;
  /** Empty: everything is as it should be. */
  readonly broken: readonly string[];
}

const pageSize = 500;
const statuses = [403, 404, 410, 422, 500] as const;

/** Three of a hundred children fail. `kills`: how often processes are killed, about. */
export async function failOften(seed: number, children: number, kills: number): Promise<FailuresSeen> {
  const dice = createDice(seed);
  const folder = await mkdtemp(join(tmpdir(), 'rxtract-failing-'));
  const failing = new Map<number, number>();
  for (let id = 0; id < children; id++) if (dice.happens(0.03)) failing.set(id, dice.pick(statuses));
  const first = new Set(failing.keys());
  const killer = createKiller(dice.apart('kills'), Math.max(2, Math.round((2 * children) / kills)));
  const api = await startChildren(children, failing, killer);
  try {
    await writeFile(join(folder, 'config.json'), JSON.stringify(configurationOf(api)));
    const run = (place: string, again: readonly string[]) =>
      runKilled({ folder, place, again, killer, concurrency: dice.between(1, 4), flags: lettersIn(folder, place) });
    const broken: string[] = [];
    const letters = new Map([...failing].filter(([, status]) => status !== 500));
    broken.push(...listed(await run('first', []), first));
    broken.push(...(await lettered(folder, 'first', [...letters.keys()])));
    // Some fail once more.
    for (const id of [...failing.keys()]) if (dice.happens(0.8)) failing.delete(id);
    const second = new Set(failing.keys());
    broken.push(...listed(await run('second', ['--retry-failed']), second));
    const again = [...letters.keys()].filter((id) => second.has(id));
    broken.push(...(await lettered(folder, 'second', again)));
    failing.clear();
    broken.push(...listed(await run('third', ['--retry-failed']), new Set()));
    broken.push(...(await judged(folder, children, [first, second])));
    const { processes, kills: killed } = killer.counts;
    const sums = {
      failed: first.size,
      failedAgain: second.size,
      letters: letters.size + again.length,
      requests: api.requests.length,
    };
    return { seed, children, ...sums, processes, kills: killed, broken };
  } finally {
    await api.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

const configurationOf = ({ origin }: Api) => ({
  api: { baseUrl: `${origin}/`, retryConfig: { maxRetries: 0 } },
  config: {
    jobs: [
      {
        endpoint: 'parents',
        dataType: 'parents',
        pagination: { method: 'pagenum', limit: pageSize },
        children: [
          {
            endpoint: 'children/{id}',
            dataType: 'children',
            dataField: '.',
            placeholders: { id: 'id' },
            onError: { 500: 'skip', default: 'dead-letter', max: 5000 },
          },
        ],
      },
    ],
  },
});

const startChildren = (count: number, failing: ReadonlyMap<number, number>, killer: Killer): Promise<Api> =>
  startApi(({ target }) => {
    killer.asked();
    const { pathname, searchParams } = new URL(target, 'http://x');
    const id = Number(/\d+$/.exec(pathname)?.[0] ?? -1);
    const status = failing.get(id);
    if (status !== undefined) return { status, body: 'no' };
    if (id >= 0) return json({ name: `child ${id}` });
    const from = (Number(searchParams.get('page')) - 1) * pageSize;
    return json(Array.from({ length: Math.max(0, Math.min(pageSize, count - from)) }, (_, at) => ({ id: from + at })));
  });

/** Whether the summary counts and lists these failures. */
function listed(log: string, expected: ReadonlySet<number>): readonly string[] {
  const events = log.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const { jobs = [] } = events.findLast(({ event }) => event === 'summary') ?? {};
  const { skipped = 0, skips = [] } = jobs.find(({ job }: { job: string }) => job === 'children') ?? {};
  const broken = skipped === expected.size ? [] : [`${skipped} failures are counted, not ${expected.size}`];
  const ids = new Set(skips.map(({ request }: { request: string }) => Number(/\d+$/.exec(request)?.[0])));
  const missing = [...expected].slice(0, 1000).filter((id) => !ids.has(id));
  return [...broken, ...missing.map((id) => `the failure of child ${id} is not listed`)];
}

const lettersIn = (folder: string, place: string) => [
  '--on-item-error',
  `dead-letter=ndjson:${join(folder, `${place}-letters`)}`,
];

/** Each of these failures is a letter once, and no other. */
async function lettered(folder: string, place: string, expected: readonly number[]): Promise<readonly string[]> {
  const text = await readFile(join(folder, `${place}-letters`, 'children.ndjson'), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  const ids = lines.map((line) => Number(JSON.parse(line).placeholders.id)).sort((a, b) => a - b);
  const wanted = [...expected].sort((a, b) => a - b);
  return String(ids) === String(wanted) ? [] : [`${place}: the letters are ${ids}, not ${wanted}`];
}

/** Each child arrives once, from the run in which it did not fail. */
async function judged(
  folder: string,
  children: number,
  failures: readonly ReadonlySet<number>[],
): Promise<readonly string[]> {
  const broken: string[] = [];
  const places = ['first', 'second', 'third'];
  const arrived = new Map<number, string[]>();
  for (const place of places) {
    const text = await readFile(join(folder, place, 'children.ndjson'), 'utf8').catch(() => '');
    for (const line of text.split('\n').filter((each) => each !== '')) {
      const { parent_id: id } = JSON.parse(line);
      arrived.set(id, [...(arrived.get(id) ?? []), place]);
    }
  }
  for (let id = 0; id < children; id++) {
    const runs = failures.filter((each) => each.has(id)).length;
    const found = (arrived.get(id) ?? []).join(' and ');
    if (found !== places[runs]) broken.push(`child ${id} arrived in "${found}", not in "${places[runs]}"`);
  }
  return broken;
}
