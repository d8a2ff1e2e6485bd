/**
 * Many pulls of rows that change between them, by processes that are killed at random and resumed: the destination has
 * the rows of the API at the end, and each version of a row once; the requests are in proportion to the changes.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configurationOf, startRows } from './changing-api.js';
import { type ChangesSeen, type ChangingItem, ChangingRows } from './changing-rows.js';
import { createDice, type Dice } from './dice.js';
import { startProcess } from './processes.js';
import { type PullTarget, type PullTargetName, pullTargets, type TargetPlace } from './pull-targets.js';

export interface PullsSeen extends ChangesSeen {
  readonly seed: number;
  readonly pulls: number;
  readonly processes: number;
  readonly kills: number;
  /** Pulls of which at least one process was killed. */
  readonly killedPulls: number;
  /** Processes that began anew in place of a killed one. */
  readonly anew: number;
  readonly requests: number;
  /** The requests of pulls that ask for everything each time. */
  readonly requestsOfAll: number;
  /** Items that the API has sent, repeated ones included. */
  readonly sent: number;
  /** Empty: the destination has the rows of the API, each version once, and no pull asked for more than is new. */
  readonly broken: readonly string[];
}

const command = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

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
  const counts = { processes: 0, kills: 0, killedPulls: 0, anew: 0 };
  let owed = 0;
  try {
    await writeFile(join(folder, 'config.json'), JSON.stringify(configurationOf(api.origin)));
    for (let pull = 0; pull < pulls; pull++) {
      rows.change();
      const isLast = pull === pulls - 1;
      const isFull = target.forgets === true && (isLast || dice.happens(0.1));
      owed += Number(dice.happens(1 / 3));
      const isKilled = owed > 0 && !isLast;
      // A process that has ended before its kill leaves it to the next pull.
      if (await pullOnce({ place, target, api, dice, counts, isKilled, isFull })) owed -= 1;
      collected.push(...((await target.collect?.(place)) ?? []));
      if (target.collect !== undefined) await rm(join(folder, 'out'), { recursive: true, force: true });
    }
    const found = (await target.rows?.(place)) ?? collected;
    const broken = [...api.broken, ...judged(found, await target.current?.(place), rows)];
    const seen = { pulls, ...counts, ...rows.seen };
    return { seed, ...seen, ...api.counts, broken: [...broken, ...missed(seen)] };
  } finally {
    await api.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

interface OnePull {
  readonly place: TargetPlace;
  readonly target: PullTarget;
  readonly api: Awaited<ReturnType<typeof startRows>>;
  readonly dice: Dice;
  readonly counts: { processes: number; kills: number; killedPulls: number; anew: number };
  readonly isKilled: boolean;
  /** The pull asks for everything. */
  readonly isFull: boolean;
}

const mostProcesses = 6;

/** Starts processes until one ends well, and says whether one was killed. The first two may be. */
async function pullOnce({ place, target, api, dice, counts, isKilled, isFull }: OnePull): Promise<boolean> {
  const { folder } = place;
  const args = ['run', join(folder, 'config.json'), '--state', join(folder, 'st'), '--to', target.uri(place)];
  if (isFull) args.push('--full');
  const pages = api.begin(isFull);
  let [killed, anew] = [0, 0];
  for (let turn = 0; turn < mostProcesses; turn++) {
    const isAnew = turn > 0 && target.isKeyed === true && dice.happens(0.3);
    anew += Number(isAnew);
    // A process that is killed after its last record has ended its run: another one would replace its output.
    const resume = isAnew ? [] : [turn === 0 ? '--resume' : '--resume-only'];
    const isHastened = target.start === undefined;
    const { kill, ended } = startProcess([command, ...args, ...resume, '--log', 'json', '--quiet'], { isHastened });
    counts.processes += 1;
    if (isKilled && (turn === 0 || (turn === 1 && dice.happens(0.3)))) {
      const delay = dice.pick([0, 1, 3, 10, 30, 100]);
      api.afterRequests(dice.between(1, pages), () => void setTimeout(kill, delay, 'SIGKILL'));
    }
    const { exit, stderr } = await ended;
    api.afterRequests(Number.POSITIVE_INFINITY, () => {});
    if (exit === null) killed += 1;
    else if (exit === 0) break;
    else throw new Error(`a pull ended with ${exit}: ${stderr}`);
    if (turn === mostProcesses - 1) throw new Error('a pull did not end');
  }
  api.end(killed, anew);
  counts.kills += killed;
  counts.killedPulls += Number(killed > 0);
  counts.anew += anew;
  return killed > 0;
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
    if (before === undefined || versionOf(before) < versionOf(item)) newest.set(item.id, item);
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

/** In many pulls, what has not happened often enough to say anything. */
function missed({
  pulls,
  killedPulls,
  ...seen
}: ChangesSeen & { readonly pulls: number; readonly killedPulls: number }) {
  if (pulls < manyPulls) return [];
  const never = (['inserts', 'updates', 'deletes', 'ties', 'late', 'skewed'] as const).filter(
    (kind) => seen[kind] === 0,
  );
  const rare = killedPulls < pulls / 4 ? [`only ${killedPulls} of ${pulls} pulls were killed`] : [];
  return [...rare, ...never.map((kind) => `there were no ${kind}`)];
}

const manyPulls = 100;

/** `version 17`: a later one may have the moment of the one before. */
const versionOf = ({ name }: ChangingItem): number => Number(name.split(' ')[1]);
