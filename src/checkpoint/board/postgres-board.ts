/**
 * A board in PostgreSQL. Each call is one statement, and locks the row of a task at most. Only the clock of the server
 * says when a lease has passed.
 */
import { loadPostgres, type PostgresResult, type PostgresServer } from '../../../sinks/postgres/postgres-client.js';
import { isAccessRefused } from '../../../sinks/postgres/postgres-errors.js';
import { postgresConnections, postgresLine } from '../../../sinks/postgres/postgres-line.js';
import { createLine } from '../../../sinks/servers/connection-line.js';
import { createConnectionPool } from '../../../sinks/servers/connection-pool.js';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import { usageError } from '../../core/util/check-value.js';
import { defined } from '../../core/util/defined.js';
import { version } from '../../core/util/version.js';
import { type BeginRecord, format } from '../records.js';
import { postgresState } from '../store/postgres-state.js';
import { failing, serverStore } from '../store/server-store.js';
import type { Store } from '../store/store.js';
import {
  type Board,
  type GiveBack,
  type KnownState,
  type Lease,
  type ListedRun,
  mostDeaths,
  mostFailures,
  type OpenRun,
  parkedMs,
  type RunSpec,
  type RunStatus,
  type TaskPlace,
  type TaskState,
} from './board.js';
import { firstTasks, lastDepth, leasedStore, publishing } from './leased-store.js';
import { createPaces } from './paces.js';
import { makeTasks, postgresLease, valuesOf } from './postgres-lease.js';
import { sweepShared } from './postgres-sharing.js';
import { boardSchema, hasState, readState, takeState } from './postgres-states.js';
import { createTables } from './postgres-tables.js';
import { takeTask } from './postgres-take.js';
import type { JobTotals } from './task-totals.js';

export interface PostgresBoardOptions {
  readonly server: PostgresServer;
  /** The address without secrets. */
  readonly shown: string;
  readonly secrets: readonly string[];
  /** In ms. */
  readonly lease: number;
}

type Query = (text: string, values?: readonly unknown[]) => Promise<PostgresResult>;

/**
 * Creates the tables that are missing at its first call. It has one connection, and one more for each open store, which
 * the next one uses too: each statement of a store names its lease.
 */
export function postgresBoard(options: PostgresBoardOptions): Board {
  const { lease: length, ...place } = options;
  const line = postgresLine(options.server);
  const pool = createConnectionPool(postgresConnections(options.server));
  const paces = createPaces();
  const create = once(async () => {
    await line.once(async () => {}); // A server that cannot be reached is an error at once.
    await line.alone(createTables);
  });
  const query: Query = async (text, values) => {
    await loadPostgres(); // a package that is missing does not come
    let isRefused = false;
    const answer = failing({ name: options.shown, secrets: options.secrets }, async () => {
      try {
        await create();
        return await line.alone((connection) => connection.query(text, values));
      } catch (thrown) {
        isRefused = isAccessRefused(thrown);
        throw thrown;
      }
    });
    return answer.catch((thrown: unknown) => {
      throw isRefused ? accessError(thrown) : thrown;
    });
  };
  const asProcess = serverStoreOf(options);
  return {
    submit: (spec) => submit(query, spec),
    state: (name) => state(query, name, asProcess),
    find: (run) => find(query, run),
    take: (worker) => take(query, worker, length),
    beat: async ({ run, task, epoch }) => (await query(beat, [run, task, epoch, length])).rowCount === 1,
    open(lease, spec, crowd) {
      const connect = () => postgresLease({ ...place, line: createLine(pool.kind), lease });
      return leasedStore(connect, { lease, spec, paces, ...defined({ crowd }) });
    },
    giveBack: (lease, why) => giveBack(query, lease, why),
    runs: () => listed(query),
    openRuns: () => openRuns(query),
    status: (run) => status(query, run),
    totals: (run) => totals(query, run),
    cancel: async (run) => (await query(cancel, [run])).rowCount === 1,
    retry: async (run) => (await query(retry, [run])).rowCount === 1,
    async sweep(age, run) {
      const { rows } = await query(sweep, [age, run ?? null]);
      if (run === undefined) await query(sweepShared, [age]);
      return rows.map(({ name }) => String(name));
    },
    end() {
      line.end();
      pool.end();
    },
  };
}

function accessError(thrown: unknown): ExtractError {
  const { message, cause, where } = asExtractError(thrown);
  return new ExtractError('ERR_USAGE', message, { ...defined({ cause }), ...where });
}

/** Work that is done once; a failure is not kept. */
function once(work: () => Promise<void>): () => Promise<void> {
  let doing: Promise<void> | undefined;
  return () => {
    doing ??= work().catch((thrown: unknown) => {
      doing = undefined;
      throw thrown;
    });
    return doing;
  };
}

/** A version takes its own tasks alone: no other one can read their journals. */
const buildOf = (begin: Pick<BeginRecord, 'version' | 'format'>): string => `${begin.version} ${begin.format}`;

async function submit(query: Query, spec: RunSpec): Promise<void> {
  const { name, begin, jobs, block, work, state: own } = spec;
  const { rows } = await query(
    `WITH ${own === undefined ? '' : `${takeState(7)},`}
      run AS (INSERT INTO rxtract.runs (name, build, work, begin, jobs, block, state, state_generation)
        SELECT $1, $2, $3, $4, $5, $6::bigint, $7::text, $8::bigint + 1 ${own === undefined ? '' : 'FROM held'}
        ON CONFLICT (name) DO NOTHING RETURNING 1),
      ${makeTasks('run', 9)}
      SELECT count(*)::int AS found FROM run`,
    [
      name,
      buildOf(begin),
      work,
      JSON.stringify(begin),
      JSON.stringify(jobs),
      block ?? null,
      own?.name ?? null,
      own?.generation ?? null,
      ...valuesOf(firstTasks(spec)),
    ],
  );
  if (rows[0]?.found === 1) return;
  const there = await find(query, name);
  // An attempt whose answer was lost has added it.
  if (there?.begin.run === begin.run) return;
  if (there !== undefined) throw nameTaken(name);
  throw new ExtractError('ERR_STATE', `the state "${own?.name}" changes at this moment: submit the run again`);
}

const nameTaken = (name: string) =>
  usageError(`there is a run "${name}" already: choose another name, or remove that run first`);

/** The store of a state as processes have it that work alone. */
const serverStoreOf =
  ({ server, shown, secrets }: PostgresBoardOptions) =>
  (name: string): Store =>
    serverStore(() => postgresState({ server, schema: boardSchema, mayCreate: true, state: name, shown, secrets }));

async function state(query: Query, name: string, asProcess: (name: string) => Store): Promise<KnownState> {
  for (;;) {
    const { holder, ...found } = await readState(query, name);
    if (holder === undefined) return { ...found, ...defined({ usedBy: await userOf(query, name) }) };
    await (await asProcess(name).open()).close(); // which is an error while that process is alive
  }
}

/** The run that has the state, and has not ended. */
async function userOf(query: Query, name: string): Promise<string | undefined> {
  const text = 'SELECT name FROM rxtract.runs WHERE state = $1 AND ended IS NULL AND NOT cancelled ORDER BY name';
  for (const row of (await query(text, [name])).rows) {
    const [run] = await listed(query, String(row.name));
    if (run?.state === 'running') return run.name;
  }
  return undefined;
}

async function find(query: Query, name: string): Promise<RunSpec | undefined> {
  const text = `SELECT work, begin, jobs, block::text, state, (state_generation - 1)::text AS generation
    FROM rxtract.runs WHERE name = $1`;
  const [row] = (await query(text, [name])).rows;
  if (row === undefined) return undefined;
  const [begin, jobs] = [row.begin, row.jobs].map((each) => JSON.parse(String(each))); // written by `submit`
  return {
    name,
    work: String(row.work),
    begin,
    jobs,
    ...(row.block === null ? {} : { block: Number(row.block) }),
    ...(row.state === null ? {} : { state: { name: String(row.state), generation: Number(row.generation) } }),
  };
}

/** A task that has ended too many processes has failed. */
async function take(query: Query, worker: string, length: number): Promise<Lease | undefined> {
  for (;;) {
    const build = buildOf({ version, format });
    const error = `${mostDeaths} processes ended while they had it`;
    const { rows } = await query(takeTask, [worker, length, build, mostDeaths, error]);
    const [row] = rows;
    if (row === undefined) return undefined;
    if (row.state === 'leased') return { run: String(row.run), task: String(row.task), epoch: Number(row.epoch) };
  }
}

const beat = `UPDATE rxtract.tasks AS t SET until = now() + $4 * interval '1 ms' FROM rxtract.runs AS r
  WHERE t.run = $1 AND t.task = $2 AND t.epoch = $3 AND t.state = 'leased' AND r.name = t.run AND NOT r.cancelled`;

/** How many of the attempts of its task an error is. */
const countOf = ({ isOfWorker = false, isLasting = false }: Exclude<GiveBack, string>): number =>
  isOfWorker ? 0 : isLasting ? mostFailures : 1;

async function giveBack(query: Query, { run, task, epoch }: Lease, why: GiveBack): Promise<boolean> {
  const where = `WHERE run = $1 AND task = $2 AND epoch = $3 AND state = 'leased'`;
  if (typeof why === 'string') {
    const text = `UPDATE rxtract.tasks SET state = 'ready', until = NULL, not_before = now() + $4 * interval '1 ms' ${where}`;
    // Without a time it can be taken at once.
    return (await query(text, [run, task, epoch, why === 'parked' ? parkedMs : null])).rowCount === 1;
  }
  const { rowCount } = await query(
    `UPDATE rxtract.tasks SET fails = fails + $7, error = $4, until = NULL,
       not_before = now() + $5 * power(2, fails) * interval '1 ms',
       state = CASE WHEN fails + $7 >= $6 THEN 'failed' ELSE 'ready' END ${where}`,
    [run, task, epoch, why.error, why.delay, mostFailures, countOf(why)],
  );
  return rowCount === 1;
}

/** With `name`: that run alone. */
async function listed(query: Query, name?: string): Promise<readonly ListedRun[]> {
  const sum = (state: TaskState) => `coalesce(sum(t.tasks) FILTER (WHERE t.state = '${state}'), 0)::int AS ${state}`;
  const { rows } = await query(
    `SELECT r.name, r.cancelled, r.build, floor(extract(epoch FROM r.submitted) * 1000)::text AS submitted,
       ${(['ready', 'leased', 'done', 'failed'] as const).map(sum).join(', ')},
       coalesce(json_agg(json_build_object('name', t.worker, 'tasks', t.tasks) ORDER BY t.worker)
         FILTER (WHERE t.state = 'leased'), '[]')::text AS workers,
       coalesce(sum(t.last) FILTER (WHERE t.state = 'ready'), 0)::int AS last
     FROM rxtract.runs AS r LEFT JOIN (
       SELECT run, state, CASE WHEN state = 'leased' THEN worker END AS worker, count(*)::int AS tasks,
         count(*) FILTER (WHERE depth = ${lastDepth}) AS last
       FROM rxtract.tasks WHERE $1::text IS NULL OR run = $1 GROUP BY 1, 2, 3) AS t ON t.run = r.name
     WHERE $1::text IS NULL OR r.name = $1 GROUP BY r.name ORDER BY r.submitted, r.name`,
    [name ?? null],
  );
  return rows.map((row) => {
    const count = (state: TaskState) => Number(row[state]);
    const tasks = { ready: count('ready'), leased: count('leased'), done: count('done'), failed: count('failed') };
    return {
      name: String(row.name),
      state: stateOf(tasks, { waits: tasks.failed > 0 && Number(row.last) > 0, isCancelled: row.cancelled === true }),
      version: String(row.build).replace(/ \d+$/, ''), // written by `buildOf`
      submittedAt: Number(row.submitted),
      tasks,
      workers: JSON.parse(String(row.workers)),
    };
  });
}

async function openRuns(query: Query): Promise<readonly OpenRun[]> {
  const conditions: Readonly<Record<TaskPlace, string>> = {
    ready: `t.state = 'ready' AND (t.not_before IS NULL OR t.not_before <= now())`,
    waiting: `t.state = 'ready' AND t.not_before > now()`,
    leased: `t.state = 'leased'`,
    done: `t.state = 'done'`,
    failed: `t.state = 'failed'`,
  };
  const counts = Object.entries(conditions).map(
    ([place, which]) => `count(*) FILTER (WHERE ${which})::int AS ${place}`,
  );
  const { rows } = await query(
    `SELECT r.name, ${counts.join(', ')},
       floor(extract(epoch FROM now() - min(t.taken) FILTER (WHERE ${conditions.leased})) * 1000)::text AS longest
     FROM rxtract.runs AS r JOIN rxtract.tasks AS t ON t.run = r.name
     WHERE r.ended IS NULL AND NOT r.cancelled GROUP BY r.name ORDER BY r.name`,
  );
  return rows.map(({ name, longest, ready, waiting, leased, done, failed }) => ({
    name: String(name),
    tasks: {
      ready: Number(ready),
      waiting: Number(waiting),
      leased: Number(leased),
      done: Number(done),
      failed: Number(failed),
    },
    ...(longest === null ? {} : { longestLease: Number(longest) }),
  }));
}

async function totals(query: Query, run: string): Promise<readonly JobTotals[]> {
  const names = ['requests', 'pages', 'items', 'bytes', 'retries'];
  const sum = (name: string) => `sum((t.value ->> '${name}')::bigint)::text AS ${name}`;
  const { rows } = await query(
    `SELECT (t.value ->> 'job')::int AS job, ${names.map(sum).join(', ')}
     FROM rxtract.tasks AS own, json_array_elements(own.totals::json) AS t WHERE own.run = $1 GROUP BY 1 ORDER BY 1`,
    [run],
  );
  return rows.map(({ job, requests, pages, items, bytes, retries }) => ({
    job: Number(job),
    requests: Number(requests),
    pages: Number(pages),
    items: Number(items),
    bytes: Number(bytes),
    retries: Number(retries),
  }));
}

async function status(query: Query, name: string): Promise<RunStatus | undefined> {
  const [run] = await listed(query, name);
  if (run === undefined) return undefined;
  const { rows } = await query(
    `SELECT task, error FROM rxtract.tasks WHERE run = $1 AND error IS NOT NULL AND state <> 'done'
     ORDER BY state = 'failed' DESC, number LIMIT 5`,
    [name],
  );
  return { ...run, errors: rows.map(({ task, error }) => ({ task: String(task), error: String(error) })) };
}

/** `waits`: the task that publishes is ready, and others have failed. */
function stateOf(
  { ready, leased, failed }: RunStatus['tasks'],
  { waits, isCancelled }: { readonly waits: boolean; readonly isCancelled: boolean },
): RunStatus['state'] {
  if (ready + leased + failed === 0) return 'done'; // a cancel that came later changes nothing
  if (isCancelled) return 'cancelled';
  return ready + leased > (waits ? 1 : 0) ? 'running' : 'failed';
}

/** The task that publishes is locked: what it writes at the same moment is before this, or refused. */
const cancel = `WITH last AS (SELECT run FROM rxtract.tasks WHERE run = $1 AND task = '${publishing}' AND state <> 'done'
    AND NOT (publishing AND state = 'leased' AND until > now()) FOR NO KEY UPDATE),
  run AS (UPDATE rxtract.runs AS r SET cancelled = true FROM last WHERE r.name = last.run RETURNING r.name),
  freed AS (UPDATE rxtract.tasks AS t SET state = 'ready', epoch = epoch + 1, until = NULL FROM run
    WHERE t.run = run.name AND t.state = 'leased')
  SELECT FROM run`;

const retry = `WITH run AS (UPDATE rxtract.runs SET cancelled = false
    WHERE name = $1 AND ended IS NULL AND ${hasState} RETURNING name),
  freed AS (UPDATE rxtract.tasks AS t SET state = 'ready', fails = 0, deaths = 0, not_before = NULL FROM run
    WHERE t.run = run.name AND t.state = 'failed')
  SELECT FROM run`;

/**
 * After `cancel` no task has a lease but one that was taken at the same moment: nothing is written with it, and it
 * passes. Where a task has failed, the one that publishes waits for ever.
 */
const sweep = `WITH old AS MATERIALIZED (SELECT name FROM rxtract.runs AS r
    WHERE submitted <= now() - $1 * interval '1 ms' AND ($2::text IS NULL OR name = $2) AND NOT EXISTS (SELECT FROM rxtract.tasks AS t
      WHERE t.run = r.name AND ((t.state = 'leased' AND (NOT r.cancelled OR t.until > now()))
        OR (t.state = 'ready' AND NOT r.cancelled
        AND (t.depth > ${lastDepth} OR NOT EXISTS (SELECT FROM rxtract.tasks AS f
          WHERE f.run = r.name AND f.state = 'failed')))))
    FOR UPDATE SKIP LOCKED),
  tasks AS (DELETE FROM rxtract.tasks AS t USING old WHERE t.run = old.name RETURNING t.epoch),
  swept AS (INSERT INTO rxtract.swept AS s (epoch) SELECT max(epoch) FROM tasks HAVING count(*) > 0
    ON CONFLICT (one) DO UPDATE SET epoch = greatest(s.epoch, excluded.epoch)),
  needs AS (DELETE FROM rxtract.needs AS t USING old WHERE t.run = old.name),
  records AS (DELETE FROM rxtract.records AS t USING old WHERE t.run = old.name),
  parts AS (DELETE FROM rxtract.parts AS t USING old WHERE t.run = old.name)
  DELETE FROM rxtract.runs AS r USING old WHERE r.name = old.name RETURNING r.name`;
