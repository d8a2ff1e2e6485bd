/** Parts of runs that were not published: a board removes the run, and no file of it. */
import { withoutSecrets } from '../../../sinks/open-addresses.js';
import { folderOfRun } from '../../../sinks/parts/part.js';
import type { Board, ListedRun } from '../../checkpoint/board/board.js';
import type { EnvironmentVariables } from '../../config/env.js';
import { type Exact, isArray } from '../../core/json/exact.js';
import { readWork } from '../../run/shared/work.js';

/** Where the parts of a run are, of each address that it wrote parts to. */
export interface PartsLeft {
  readonly run: string;
  readonly places: readonly string[];
}

/** Of the runs that may be removed. `env`: with the key of the board, which encrypted runs need. */
export async function partsLeft(
  board: Pick<Board, 'find'>,
  runs: readonly ListedRun[],
  env: EnvironmentVariables,
): Promise<readonly PartsLeft[]> {
  const found: PartsLeft[] = [];
  for (const { name, state } of runs) {
    if (state === 'done' || state === 'running') continue;
    const places = await placesOf(board, name, env).catch(() => []);
    if (places.length > 0) found.push({ run: name, places });
  }
  return found;
}

async function placesOf(
  board: Pick<Board, 'find'>,
  name: string,
  env: EnvironmentVariables,
): Promise<readonly string[]> {
  const spec = await board.find(name);
  if (spec === undefined) return [];
  const addresses = textsIn(readWork(spec, env).options.get('to') ?? null);
  return addresses.flatMap((address) => {
    const [, parts] = /^(?:[^:=]*=)?(parts(?:\+s3)?:[^?]*)/.exec(withoutSecrets(address)) ?? [];
    return parts === undefined ? [] : [`${parts}/${folderOfRun(spec.begin.run)}`];
  });
}

const textsIn = (value: Exact): readonly string[] =>
  (isArray(value) ? value : [value]).filter((each) => typeof each === 'string');
