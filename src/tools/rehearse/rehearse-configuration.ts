/** Rehearses a configuration: runs it against a recording with one fault at a time, and compares what it writes. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EnvironmentVariables } from '../../config/env.js';
import { applyAssignments } from '../../config/set.js';
import { ExtractError } from '../../core/errors/errors.js';
import { type ExactObject, stringifyExact } from '../../core/json/exact.js';
import { splitQuery } from '../../core/url/url.js';
import { defined } from '../../core/util/defined.js';
import { createRandom } from '../../recording/random.js';
import { compareOutputs, type Output } from './compare-outputs.js';
import { type FaultName, faults, type RehearsedFault } from './faults.js';
import { type FaultyServer, type PlacedFault, startFaultyServer } from './faulty-server.js';
import { itemsOf } from './page-items.js';
import { type RecordedAnswer, readAnswers } from './recorded-answers.js';
import { type RehearsedRun, readOutput, rehearsedRun } from './rehearsed-run.js';

export interface Rehearsal {
  readonly content: ExactObject;
  readonly env: EnvironmentVariables;
  readonly recording: string;
  readonly names: readonly FaultName[];
  /** Chooses the middle page, and where bodies are cut. */
  readonly seed: number;
  readonly options: RehearsedRun['options'];
  readonly signal: AbortSignal;
  onResult(result: Rehearsed): void;
}

export type RehearsalVerdict =
  | 'held'
  | 'ended'
  | 'lost'
  | 'repeated'
  | 'changed'
  | 'reordered'
  | 'endless'
  | 'stuck'
  | 'unclear';

/** What a run with a fault has come to. */
export interface RehearsedOutcome {
  readonly verdict: RehearsalVerdict;
  readonly lost?: number;
  readonly repeated?: number;
  readonly changed?: number;
  /** The error that the run has ended with. */
  readonly code?: string;
}

export interface TriedCure {
  readonly key: string;
  /** The value with which the fault does not change anything. Absent: it was not tried. */
  readonly value?: string;
}

/** The result of one fault at one page. */
export interface Rehearsed extends RehearsedOutcome {
  readonly fault: FaultName;
  readonly place: 'first' | 'middle' | 'last';
  /** From 1, of all pages of the undisturbed run. */
  readonly page: number;
  /** The request of the page, secrets masked. */
  readonly request: string;
  readonly cures: readonly TriedCure[];
}

/** A fault that has no place in this recording. */
export interface Skipped {
  readonly fault: FaultName;
  readonly reason: string;
}

export interface RehearsalSummary {
  readonly pages: number;
  readonly items: number;
  readonly skipped: readonly Skipped[];
}

const safe: ReadonlySet<RehearsalVerdict> = new Set<RehearsalVerdict>(['held', 'ended', 'unclear']);

/** Nothing is lost, repeated or wrong. */
export const isSafe = ({ verdict }: RehearsedOutcome): boolean => safe.has(verdict);

/** Time-outs of a rehearsal; the first is one of the clock, the second one of the connection. */
const shortTimeouts = ['api.http.headersTimeout=25', 'api.http.idleTimeout=0.5'];

/** Makes all runs, one after the other. Rejects with the failure of the undisturbed run. */
export async function rehearseConfiguration(rehearsal: Rehearsal): Promise<RehearsalSummary> {
  const { begin, answers } = await readAnswers(rehearsal.recording);
  const server = await startFaultyServer(answers);
  const root = await mkdtemp(join(tmpdir(), 'rxtract-rehearsal-'));
  try {
    let runs = 0;
    const stage: Stage = {
      rehearsal,
      server,
      async inFolder(work) {
        runs += 1;
        const folder = join(root, String(runs));
        try {
          return await work({ port: server.port, folder, startedAt: begin.startedAt, seed: begin.seed });
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      },
    };
    const expected = await undisturbed(stage);
    const pages = server.sent.filter((index) => isPage(answers[index]));
    const skipped: Skipped[] = [];
    const random = createRandom(rehearsal.seed);
    for (const name of rehearsal.names) {
      const places = placesOf(name, pages, answers, random);
      if (typeof places === 'string') skipped.push({ fault: name, reason: places });
      else for (const place of places) await rehearseAt(place, { stage, expected, answers });
    }
    const items = [...expected.values()].reduce((sum, text) => sum + text.split('\n').length - 1, 0);
    return { pages: pages.length, items, skipped };
  } finally {
    await server.close();
    await rm(root, { recursive: true, force: true });
  }
}

interface Stage {
  readonly rehearsal: Rehearsal;
  readonly server: FaultyServer;
  /** Works in a folder that is removed afterwards. */
  inFolder<T>(work: (place: Pick<RehearsedRun, 'port' | 'folder' | 'startedAt' | 'seed'>) => Promise<T>): Promise<T>;
}

const isPage = (answer: RecordedAnswer | undefined): boolean =>
  answer !== undefined && !answer.isLogin && answer.status < 300 && answer.body.length > 1;

const undisturbed = ({ rehearsal, server, inFolder }: Stage): Promise<Output> =>
  inFolder(async (place) => {
    const { content, env, options } = rehearsal;
    server.begin();
    const failure = await rehearsedRun({ ...place, content, env, options });
    if (failure !== undefined) throw failure;
    return readOutput(place.folder);
  });

interface FaultPlace extends PlacedFault {
  readonly place: Rehearsed['place'];
  readonly page: number;
}

/** First, middle and last page where the fault can happen; a text: why it can happen nowhere. */
function placesOf(
  name: FaultName,
  pages: readonly number[],
  answers: readonly RecordedAnswer[],
  random: () => number,
): readonly FaultPlace[] | string {
  const { needsEarlier }: RehearsedFault = faults[name];
  const isMove = name === 'inserted' || name === 'deleted';
  const needsItems = isMove || name === 'empty-page';
  const able = pages.flatMap((answer, index) => {
    const walk = walkOf(answer, pages, answers, isMove);
    if (needsEarlier === true && walk.indexOf(answer) < 1) return [];
    if (needsItems && itemsOf(answers[answer]?.body ?? Buffer.alloc(0)) === undefined) return [];
    if (isMove && answers[answer]?.request.url.search(position) === -1) return [];
    return [{ name, answer, walk, page: index + 1, cutAt: 0.1 + 0.8 * random() }];
  });
  const [first, ...others] = able;
  if (first === undefined) {
    if (isMove) return 'no page is asked for by its number or offset';
    return needsItems ? 'no page has a list of objects' : 'no walk has a second page';
  }
  const last = others.pop();
  const middle = others[Math.floor(random() * others.length)];
  return [
    { ...first, place: 'first' },
    ...(middle === undefined ? [] : [{ ...middle, place: 'middle' } as const]),
    ...(last === undefined ? [] : [{ ...last, place: 'last' } as const]),
  ];
}

/** A parameter that says by number where a page begins. */
const position = /(?<=[?&])(?:page|offset|start|startAt|skip|p)=\d+/gi;

/** The pages of the same address without its query; those of a position: with the other parameters. */
function walkOf(
  answer: number,
  pages: readonly number[],
  answers: readonly RecordedAnswer[],
  isMove: boolean,
): readonly number[] {
  const placeOf = (index: number) => {
    const url = answers[index]?.request.url ?? '';
    return isMove ? url.replaceAll(position, '') : splitQuery(url).address;
  };
  return [...new Set(pages.filter((each) => placeOf(each) === placeOf(answer)))];
}

interface Scene {
  readonly stage: Stage;
  readonly expected: Output;
  readonly answers: readonly RecordedAnswer[];
}

async function rehearseAt(place: FaultPlace, scene: Scene): Promise<void> {
  const { stage, answers } = scene;
  const { content, onResult, signal } = stage.rehearsal;
  signal.throwIfAborted();
  const outcome = await outcomeOf(content, place, scene);
  const { cures: known }: RehearsedFault = faults[place.name];
  const cures: TriedCure[] = [];
  if (outcome.verdict !== 'held') {
    for (const { key, value, set, onlyIfEnded } of known) {
      if (onlyIfEnded && outcome.verdict !== 'ended') continue;
      if (set === undefined) cures.push({ key });
      else if (await holds(applyAssignments(content, set(content)), place, scene))
        cures.push({ key, ...defined({ value }) });
    }
  }
  const { method = '', url = '' } = answers[place.answer]?.request ?? {};
  const request = `${method} ${url}`;
  onResult({ fault: place.name, place: place.place, page: place.page, request, ...outcome, cures });
}

const holds = async (content: ExactObject, place: FaultPlace, scene: Scene): Promise<boolean> =>
  (await outcomeOf(content, place, scene)).verdict === 'held';

/** Runs with the fault; a run that fails or is killed is resumed without it. */
const outcomeOf = (given: ExactObject, place: FaultPlace, { stage, expected }: Scene): Promise<RehearsedOutcome> =>
  stage.inFolder(async (folder) => {
    const { server, rehearsal } = stage;
    const { env, options } = rehearsal;
    const isTimed = place.name === 'slow' || place.name === 'stalled';
    const content = isTimed ? applyAssignments(given, shortTimeouts) : given;
    const run: RehearsedRun = { ...folder, content, env, options };
    if (place.name === 'killed') await killedRun(run, place, server);
    else {
      server.begin(place);
      const failure = await rehearsedRun(run);
      if (failure === undefined) return differenceOf(expected, await readOutput(folder.folder));
      if (server.isEndless) return { verdict: 'endless' };
      if (server.isUnknown) return { verdict: 'unclear', code: failure.code };
      const published = await readOutput(folder.folder);
      if ([...published].some(([name, text]) => expected.get(name)?.startsWith(text) !== true)) {
        return { ...differenceOf(expected, published), code: failure.code };
      }
      return { ...(await resumed(run)), code: failure.code };
    }
    const after = await resumed(run);
    return after.verdict === 'ended' ? { verdict: 'held' } : after;

    async function resumed(again: RehearsedRun): Promise<RehearsedOutcome> {
      server.heal();
      const failure = await rehearsedRun(again);
      if (failure !== undefined) return { verdict: 'stuck' };
      const outcome = differenceOf(expected, await readOutput(again.folder));
      return outcome.verdict === 'held' ? { verdict: 'ended' } : outcome;
    }
  });

function differenceOf(expected: Output, found: Output): RehearsedOutcome {
  const difference = compareOutputs(expected, found);
  if (difference === undefined) return { verdict: 'held' };
  const { lost, repeated, changed, isReordered } = difference;
  if (isReordered) return { verdict: 'reordered' };
  const verdict = lost > 0 ? 'lost' : repeated > 0 ? 'repeated' : 'changed';
  return { verdict, lost, repeated, changed };
}

/** Runs in a process that is killed in the middle of a page. */
async function killedRun({ content, ...rest }: RehearsedRun, place: PlacedFault, server: FaultyServer): Promise<void> {
  const entry = fileURLToPath(new URL('./rehearsed-process.js', import.meta.url));
  const child = fork(entry, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const exit = once(child, 'exit');
  server.begin({ ...place, onKill: () => child.kill('SIGKILL') });
  child.send({ ...rest, text: stringifyExact(content) });
  const [, by] = await exit;
  if (by !== 'SIGKILL') throw new ExtractError('ERR_INTERNAL', 'the run to kill has ended before');
}
