/**
 * Reports of an API, in processes that are killed at random and resumed: each is created once, its items are there
 * once.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi } from '../loopback/api.js';
import { createDice, type Dice } from './dice.js';
import { createKiller, type Killer, runKilled } from './killed-command.js';
import { type ReportApi, type ReportApiName, reportApis } from './report-servers.js';

export interface ReportsSeen {
  readonly seed: number;
  readonly runs: number;
  readonly processes: number;
  readonly kills: number;
  readonly created: number;
  readonly items: number;
  /** Empty: each run has created one report, and has its items once. */
  readonly broken: readonly string[];
}

const rows = 500;

/** Runs until there were so many kills. */
export async function reportOften(seed: number, kills: number, name: ReportApiName): Promise<ReportsSeen> {
  const dice = createDice(seed).apart(name);
  const killer = createKiller(dice.apart('kills'), 7);
  const broken: string[] = [];
  let [runs, created] = [0, 0];
  while (killer.counts.kills < kills) {
    const api = reportApis[name](rows);
    broken.push(...(await reportOnce(api, dice, killer)).map((line) => `run ${runs}: ${line}`));
    runs += 1;
    created += api.created();
  }
  return { seed, runs, ...killer.counts, created, items: runs * rows, broken };
}

/**
 * A kill may come at any moment but one: an API that does not know requests again has created a report when its
 * response is lost. There the first poll is the first moment.
 */
async function reportOnce(api: ReportApi, dice: Dice, killer: Killer): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rxtract-reports-'));
  const server = await startApi((request) => {
    if (request.method !== 'POST' || api.knowsRequests) killer.asked();
    return api.answer(request, new URL(request.target, server.origin));
  });
  try {
    const { api: ofApi, job } = api.configuration(server.origin);
    const retryConfig = { maxRetries: 0 };
    const config = { '#username': 'sk_test', '#password': 'sk_test_password', jobs: [{ dataType: 'rows', ...job }] };
    await writeFile(join(folder, 'config.json'), JSON.stringify({ api: { ...ofApi, retryConfig }, config }));
    await runKilled({ folder, place: 'out', again: [], killer, concurrency: dice.between(1, 2) });
    const text = await readFile(join(folder, 'out', 'rows.ndjson'), 'utf8');
    const ids = text.split('\n').flatMap((line) => (line === '' ? [] : [Number(JSON.parse(line).id)]));
    const wrong = ids.findIndex((id, index) => id !== index);
    return [
      ...(api.created() === 1 ? [] : [`${api.created()} reports were created`]),
      ...(ids.length === rows ? [] : [`${ids.length} items, not ${rows}`]),
      ...(wrong < 0 ? [] : [`item ${wrong} is ${ids[wrong]}`]),
    ];
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
