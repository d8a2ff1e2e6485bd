/**
 * The walks that an earlier run has left out: what is stored of one, and how a run takes it again. A walk begins at the
 * request that failed. docs/04-child-jobs.md#when-a-child-fails.
 */
import { defer, type Observable } from 'rxjs';
import type { StoredWalkAgain } from '../../checkpoint/records.js';
import type { SecretReferences } from '../../checkpoint/secret-refs.js';
import { type JobConfig, withChildren } from '../../config/config.js';
import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, isArray } from '../../core/json/exact.js';
import { parseExact } from '../../core/json/exact-parse.js';
import type { Receipt } from '../../core/model/page.js';
import { defined } from '../../core/util/defined.js';
import type { Binding, PlaceholderBindings } from '../../job/instances.js';
import { entriesOf, rowOf } from '../../page/row-buffer.js';
import { createPrints } from '../../pagination/prints.js';
import { walkInOrder } from './child-walks.js';
import type { FailedWalk, FailedWalks } from './failed-walk.js';
import { neededPaths } from './needed-paths.js';
import { partWalks, type WalkOnce } from './part-walks.js';
import type { RunScope, WalkTask } from './walk-context.js';

/** What identifies a walk: its job, the values of its placeholders, and of the rows above it what is read there. */
export function identityOf({ config, instance, ancestors, top }: WalkTask, tops: readonly JobConfig[]): Exact {
  const above = chainTo(tops, config.name).slice(0, -1).reverse();
  const rows = config.children.length === 0 ? [] : above.map(({ children }) => neededPaths(children));
  const bindings = [...instance].map(([name, { path = null, partition = null, value, text }]) => [
    name,
    path,
    partition,
    value,
    text,
  ]);
  const values = ancestors.flatMap((row, index) => (rows[index] === undefined ? [] : [entriesOf(row, rows[index])]));
  return [config.name, top, bindings, values];
}

/** Reads what is stored. Throws ERR_RESUME for a job or a secret that is not there any more. */
export function failedWalks(
  stored: readonly StoredWalkAgain[],
  tops: readonly JobConfig[],
  references: Pick<SecretReferences, 'unseal'>,
): FailedWalks {
  const walks = stored.map((each) => readWalk(each, tops, references));
  const taken = new Set(withChildren<JobConfig>(walks.map(({ walk }) => walk.config)));
  return {
    of: (top) => walks.flatMap((each) => (each.top === top ? [each.walk] : [])),
    includes: (job) => taken.has(job),
  };
}

function readWalk(
  { walk, begun, next }: StoredWalkAgain,
  tops: readonly JobConfig[],
  references: Pick<SecretReferences, 'unseal'>,
): { readonly top: string; readonly walk: FailedWalk } {
  const [name = null, , bindings = null, rows = null] = listIn(opened(walk, references));
  const chain = chainTo(tops, String(name));
  const [config, top] = [chain.at(-1), chain[0]];
  if (config === undefined || top === undefined) {
    throw new ExtractError('ERR_RESUME', `a request that failed belongs to the job "${String(name)}", which is gone`);
  }
  const above = chain.slice(0, -1).reverse();
  const ancestors = listIn(rows).map((row, index) => rowOf(row, neededPaths(above[index]?.children ?? [])));
  const position = { begun, page: next.index, next, prints: createPrints() };
  return { top: top.name, walk: { config, instance: instanceIn(bindings), ancestors, position } };
}

function opened(text: string, references: Pick<SecretReferences, 'unseal'>): Exact {
  try {
    return references.unseal(parseExact(text));
  } catch (cause) {
    throw new ExtractError('ERR_RESUME', 'a request that failed needs a secret that is gone', { cause });
  }
}

const listIn = (value: Exact): readonly Exact[] => (isArray(value) ? value : []);

const instanceIn = (bindings: Exact): PlaceholderBindings =>
  new Map(
    listIn(bindings).map((each) => {
      const [name = null, path = null, partition = null, value = null, text = null] = listIn(each);
      const binding = { value, text: String(text), ...defined({ path: textIn(path), partition: partIn(partition) }) };
      return [String(name), binding];
    }),
  );

const textIn = (value: Exact): string | undefined => (typeof value === 'string' ? value : undefined);
const partIn = (value: Exact): Binding['partition'] => (value === 'own' || value === 'above' ? value : undefined);

/** The job of that name, after those above it; empty: there is none. */
function chainTo(jobs: readonly JobConfig[], name: string): readonly JobConfig[] {
  for (const job of jobs) {
    if (job.name === name) return [job];
    const below = chainTo(job.children, name);
    if (below.length > 0) return [job, ...below];
  }
  return [];
}

/** Why the jobs of such a run end: what they have is never all. */
export const onlyFailed = 'only requests that had failed';

/** Walks them, as child walks below a page that is never requested. */
export function walkFailed(
  run: RunScope,
  task: WalkTask,
  walks: readonly FailedWalk[],
  walkOnce: WalkOnce,
): Observable<Receipt> {
  return defer(() => {
    for (const { name } of withChildren([task.config])) run.totals.bound(name, onlyFailed);
    return walkInOrder(run, task, (ordered) => partWalks(run, task, walks, ordered), walkOnce);
  });
}
