/**
 * Many pulls of rows that change between them, by processes that are killed at random and resumed: the destination has
 * the rows of the API at the end, and each version of a row once.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { json, startApi } from '../loopback/api.js';
import { type ChangingItem, ChangingRows, mostLate } from './changing-rows.js';
import { createDice, type Dice } from './dice.js';
import { startProcess } from './processes.js';
import { type PullTarget, type PullTargetName, pullTargets, type TargetPlace } from './pull-targets.js';

export interface PullsSeen {
  readonly seed: number;
  readonly pulls: number;
  readonly processes: number;
  readonly kills: number;
  /** Versions of rows that the API has had. */
  readonly changes: number;
  readonly requests: number;
  /** Items that the API has sent, repeated ones included. */
  readonly sent: number;
  /** Empty: the destination has the rows of the API, each version once. */
  readonly broken: readonly string[];
}

const command = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const pageSize = 5;

/** Everything follows from the seed but the moments of the kills. A third of the pulls is killed. */
export async function pullOften(seed: number, pulls: number, name: PullTargetName): Promise<PullsSeen> {
  const target: PullTarget = pullTargets[name];
  const dice = createDice(seed).apart('pulls');
  const rows = new ChangingRows(dice.apart('rows'), target.forgets === true);
  const folder = await mkdtemp(join(tmpdir(), 'rxtract-second-'));
  const api = await startRows(rows);
  const server = await target.start?.();
  const place = { folder, port: server?.port ?? 0 };
  const collected: ChangingItem[] = [];
  const counts = { processes: 0, kills: 0 };
  try {
    await writeFile(join(folder, 'config.json'), JSON.stringify(configurationOf(api.origin)));
    for (let pull = 0; pull < pulls; pull++) {
      rows.change();
      const isLast = pull === pulls - 1;
      const isKilled = dice.happens(1 / 3) && !isLast;
      const isFull = target.forgets === true && (isLast || dice.happens(0.1));
      await pullOnce({ place, target, api, dice, counts, isKilled, isFull });
      collected.push(...((await target.collect?.(place)) ?? []));
      if (target.collect !== undefined) await rm(join(folder, 'out'), { recursive: true, force: true });
    }
    const found = (await target.rows?.(place)) ?? collected;
    const broken = judged(found, await target.current?.(place), rows);
    const { requests, sent } = api.counts;
    return { seed, pulls, ...counts, changes: rows.changes, requests, sent, broken };
  } finally {
    await api.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

const configurationOf = (origin: string) => ({
  api: { baseUrl: `${origin}/`, pagination: { method: 'pagenum', limit: pageSize } },
  config: {
    jobs: [
      {
        endpoint: 'rows',
        dataType: 'rows',
        dataField: 'rows',
        incremental: { path: 'updated', param: 'since', lookback: `${mostLate}s` },
      },
    ],
  },
});

/** Serves the rows page by page. `afterRequest`: called once, after so many requests from now. */
async function startRows(rows: ChangingRows) {
  const counts = { requests: 0, sent: 0 };
  let left = Number.POSITIVE_INFINITY;
  let strike = () => {};
  const server = await startApi(({ target }) => {
    const { searchParams } = new URL(target, 'http://x');
    const page = Number(searchParams.get('page'));
    const found = rows.since(searchParams.get('since')).slice((page - 1) * pageSize, page * pageSize);
    counts.requests += 1;
    counts.sent += found.length;
    left -= 1;
    if (left === 0) strike();
    return json({ rows: found });
  });
  return {
    origin: server.origin,
    counts,
    afterRequests(count: number, work: () => void) {
      left = count;
      strike = work;
    },
    close: server.close,
  };
}

interface OnePull {
  readonly place: TargetPlace;
  readonly target: PullTarget;
  readonly api: Awaited<ReturnType<typeof startRows>>;
  readonly dice: Dice;
  readonly counts: { processes: number; kills: number };
  readonly isKilled: boolean;
  /** The pull asks for everything. */
  readonly isFull: boolean;
}

const mostProcesses = 6;

/** Starts processes until one ends well. Only the first may be killed, at any moment after one of its requests. */
async function pullOnce({ place, target, api, dice, counts, isKilled, isFull }: OnePull): Promise<void> {
  const { folder } = place;
  const args = ['run', join(folder, 'config.json'), '--state', join(folder, 'st'), '--to', target.uri(place)];
  if (isFull) args.push('--full');
  for (let turn = 0; turn < mostProcesses; turn++) {
    // A process that is killed after its last record has ended its run: another one would replace its output.
    const resume = turn === 0 ? '--resume' : '--resume-only';
    const isHastened = target.start === undefined;
    const { kill, ended } = startProcess([command, ...args, resume, '--log', 'json', '--quiet'], { isHastened });
    counts.processes += 1;
    if (isKilled && turn === 0) {
      const delay = dice.pick([0, 1, 3, 10, 30, 100, 200]);
      api.afterRequests(dice.between(1, 3), () => void setTimeout(kill, delay, 'SIGKILL'));
    }
    const { exit, stderr } = await ended;
    api.afterRequests(Number.POSITIVE_INFINITY, () => {});
    if (exit === 0) return;
    if (exit !== null) throw new Error(`a pull ended with ${exit}: ${stderr}`);
    counts.kills += 1;
  }
  throw new Error('a pull did not end');
}

/** What is wrong with the destination: `found` are the versions that it has, `current` the rows that are valid. */
function judged(
  found: readonly ChangingItem[],
  current: readonly ChangingItem[] | undefined,
  rows: ChangingRows,
): readonly string[] {
  const broken: string[] = [];
  const newest = new Map<number, ChangingItem>();
  const versions = new Set<string>();
  for (const item of found) {
    if (versions.has(item.name)) broken.push(`${item.name} of row ${item.id} arrived twice`);
    versions.add(item.name);
    const before = newest.get(item.id);
    if (before === undefined || before.updated < item.updated) newest.set(item.id, item);
  }
  const valid = current === undefined ? newest : new Map(current.map((item) => [item.id, item]));
  if (current !== undefined && valid.size < current.length) broken.push('a row is there twice');
  for (const row of rows.all()) {
    const own = valid.get(row.id);
    if (JSON.stringify(own) !== JSON.stringify(row))
      broken.push(`row ${row.id} is ${JSON.stringify(own)}, not ${JSON.stringify(row)}`);
  }
  if (valid.size > rows.all().length) broken.push('there are rows that the API does not have');
  return broken;
}
