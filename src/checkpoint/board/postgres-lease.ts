/**
 * A task in tables of PostgreSQL, for the process with its lease. Each write is one statement, which locks the row of
 * the task and needs the epoch of the lease: a process that is suspended leaves no transaction open.
 */
import type { PostgresConnection } from '../../../sinks/postgres/postgres-client.js';
import type { ConnectionLine } from '../../../sinks/servers/connection-line.js';
import { ExtractError } from '../../core/errors/errors.js';
import { lostState } from '../store/state-server.js';
import type { Lease } from './board.js';
import { type Effect, type LeaseServer, lastDepth } from './leased-store.js';
import { hasState, moveState } from './postgres-states.js';
import type { TaskJournal } from './sum-of-tasks.js';

export interface PostgresLeaseOptions {
  readonly line: ConnectionLine<PostgresConnection>;
  readonly lease: Lease;
  /** The address without secrets. */
  readonly shown: string;
  readonly secrets: readonly string[];
}

export function postgresLease({ line, lease, shown, secrets }: PostgresLeaseOptions): LeaseServer {
  const { run, task, epoch } = lease;
  const name = `${shown} ${run}/${task}`;
  const place: Place = { lease, name, generation: 0, next: 0 };
  const own = [run, task, epoch] as const;
  return {
    name,
    secrets,
    load: () => line.alone((connection) => load(connection, place)),
    replace: (texts, effect) => line.alone((connection) => replace(connection, place, texts, effect)),
    append: (texts, effect) => line.alone((connection) => append(connection, place, texts, effect)),
    others: () => others((text, values) => line.alone((connection) => connection.query(text, values)), lease),
    async countReady(most) {
      const text = `SELECT count(*)::int AS ready
        FROM (SELECT FROM rxtract.tasks WHERE run = $1 AND state = 'ready' LIMIT $2) AS t`;
      const { rows } = await line.alone((connection) => connection.query(text, [run, most]));
      return Number(rows[0]?.ready);
    },
    async partNames() {
      const text = `SELECT part FROM rxtract.parts WHERE run = $1 AND task = $2
        UNION SELECT part FROM rxtract.needs WHERE run = $1 AND task = $2`;
      const { rows } = await line.alone((connection) => connection.query(text, [run, task]));
      return rows.map(({ part }) => String(part));
    },
    async writePart(part, position, bytes) {
      const text = `WITH ${mine} INSERT INTO rxtract.parts (run, part, position, task, bytes)
        SELECT $1, $4, $5, $2, $6 FROM mine
        ON CONFLICT (run, part, position) DO UPDATE SET bytes = excluded.bytes`;
      const { rowCount } = await line.alone((connection) => connection.query(text, [...own, part, position, bytes]));
      if (rowCount === 0) throw lostState(name);
    },
    async readPart(part, { position }) {
      const text = 'SELECT bytes FROM rxtract.parts WHERE run = $1 AND part = $2 AND position = $3';
      const { rows } = await line.alone((connection) => connection.query(text, [run, part, position]));
      return rows[0]?.bytes instanceof Uint8Array ? rows[0].bytes : undefined;
    },
    async removePart(part) {
      const text = `WITH ${mine} DELETE FROM rxtract.parts AS p USING mine WHERE p.run = $1 AND p.part = $4
        AND NOT EXISTS (SELECT FROM rxtract.needs AS n JOIN rxtract.tasks AS t ON t.run = n.run AND t.task = n.task
          WHERE n.run = $1 AND n.part = $4 AND t.state <> 'done')
        AND NOT EXISTS (SELECT FROM rxtract.tasks AS t
          WHERE t.run = $1 AND t.task = p.task AND t.task <> $2 AND t.state <> 'done')`;
      await line.alone((connection) => connection.query(text, [...own, part]));
    },
    end: line.end,
  };
}

interface Place {
  readonly lease: Lease;
  readonly name: string;
  /** Of the last `replace`: what an earlier connection sends after it has no effect. */
  generation: number;
  /** The number of the next record. */
  next: number;
}

/** The row of the task, while this process has it. It is done when its parts are removed. */
const mine = `mine AS (SELECT FROM rxtract.tasks WHERE run = $1 AND task = $2 AND epoch = $3
  AND state IN ('leased', 'done') FOR NO KEY UPDATE)`;

async function load(connection: PostgresConnection, place: Place): Promise<readonly string[]> {
  const { run, task } = place.lease;
  const generations = await connection.query(
    'SELECT generation::text FROM rxtract.tasks WHERE run = $1 AND task = $2',
    [run, task],
  );
  place.generation = Number(generations.rows[0]?.generation ?? 0);
  const text = 'SELECT number::text AS last, record FROM rxtract.records WHERE run = $1 AND task = $2 ORDER BY number';
  const { rows } = await connection.query(text, [run, task]);
  place.next = Number(rows.at(-1)?.last ?? 0) + 1;
  return rows.map(({ record }) => String(record));
}

/** So many journals are read at once. */
const mostJournals = 200;

type Query = PostgresConnection['query'];

/** Journals are read some at a time: there may be many. The first record is the same in all of them. */
async function* others(query: Query, { run, task: own }: Lease): AsyncIterable<TaskJournal> {
  const text = `SELECT task, record FROM rxtract.records WHERE run = $1 AND record NOT LIKE '{"type":"begin"%' AND task IN
      (SELECT task FROM rxtract.tasks WHERE run = $1 AND task > $2 AND task <> $3 ORDER BY task LIMIT ${mostJournals})
    ORDER BY task, number`;
  for (let after = ''; ; ) {
    const { rows } = await query(text, [run, after, own]);
    const journals = new Map<string, string[]>();
    for (const { task, record } of rows) {
      const name = String(task);
      const records = journals.get(name) ?? [];
      journals.set(name, records);
      records.push(String(record));
    }
    for (const [task, records] of journals) yield { task, records };
    after = [...journals.keys()].at(-1) ?? '';
    if (after === '') return;
  }
}

/** Numbers go on, so that no record of an older generation has the number of a new one. */
async function replace(
  connection: PostgresConnection,
  place: Place,
  texts: readonly string[],
  effect: Effect,
): Promise<void> {
  const gone = `, gone AS (DELETE FROM rxtract.records AS r USING mine
    WHERE r.run = $1 AND r.task = $2 AND r.number < $7)`;
  await write(connection, place, { texts, effect, generation: place.generation + 1, gone });
  place.generation += 1;
  place.next += texts.length;
}

async function append(
  connection: PostgresConnection,
  place: Place,
  texts: readonly string[],
  effect: Effect,
): Promise<void> {
  await write(connection, place, { texts, effect, generation: place.generation, gone: '' });
  place.next += texts.length;
}

interface Writing {
  readonly texts: readonly string[];
  readonly effect: Effect;
  /** After the write. */
  readonly generation: number;
  /** A step that removes earlier records. */
  readonly gone: string;
}

/** Records are appended, and one is that of a page: failures and deaths before it count no more. */
const isProgress = `$4::bigint = $5 AND EXISTS (SELECT FROM unnest($8::text[]) AS t (record) WHERE record LIKE '{"type":"page"%')`;

/** An attempt whose answer was lost has written the same. */
async function write(connection: PostgresConnection, place: Place, writing: Writing): Promise<void> {
  const { lease, name, generation: before, next } = place;
  const { texts, effect, generation, gone } = writing;
  const { tasks, isDone, totals, isPublishing, memory } = effect;
  const begins = isPublishing && gone === '';
  const { rows } = await connection.query(
    `WITH mine AS (UPDATE rxtract.tasks SET generation = $5, state = CASE WHEN $6 THEN 'done' ELSE state END, totals = $9,
          fails = CASE WHEN ${isProgress} THEN 0 ELSE fails END, deaths = CASE WHEN ${isProgress} THEN 0 ELSE deaths END
          ${begins ? ', publishing = true' : ''}
        WHERE run = $1 AND task = $2 AND epoch = $3 AND generation IN ($4, $5) AND state IN ('leased', 'done')
          AND EXISTS (SELECT FROM rxtract.runs WHERE name = $1 AND NOT cancelled) ${begins ? `AND ${hasState}` : ''}
        RETURNING depth AS depth_of_task)${gone},
      ${memory === undefined ? '' : moveState(valuesEnd)}
      ended AS (UPDATE rxtract.runs SET ended = now() FROM mine WHERE name = $1 AND $6 AND depth_of_task = ${lastDepth}),
      written AS (INSERT INTO rxtract.records (run, task, number, record)
        SELECT $1, $2, $7::bigint + place - 1, record FROM mine, unnest($8::text[]) WITH ORDINALITY AS t (record, place)
        ON CONFLICT (run, task, number) DO UPDATE SET record = excluded.record),
      ${makeTasks('mine', 10)}
      SELECT count(*)::int AS found FROM mine`,
    [
      lease.run,
      lease.task,
      lease.epoch,
      before,
      generation,
      isDone,
      next,
      texts,
      JSON.stringify(totals),
      ...valuesOf(tasks),
      ...(memory === undefined ? [] : [memory]),
    ],
  );
  if (rows[0]?.found === 1) return;
  if (begins) await mustHaveState(connection, lease.run);
  throw lostState(name);
}

/** A later run, or a person, has the state: this run began at what was remembered before. */
async function mustHaveState(connection: PostgresConnection, run: string): Promise<void> {
  const { rows } = await connection.query(`SELECT state FROM rxtract.runs WHERE name = $1 AND NOT (${hasState})`, [
    run,
  ]);
  const [changed] = rows;
  if (changed === undefined) return;
  throw new ExtractError('ERR_STATE', `the state "${changed.state}" has changed since the run was submitted`);
}

/**
 * Steps of a statement that make tasks with their journals, unless they exist. The run is $1. `condition`: a step that
 * has a row if they are to be made. `first`: the number of the first of `valuesOf`.
 */
export const makeTasks = (condition: string, first: number): string =>
  `made AS (INSERT INTO rxtract.tasks (run, task, depth)
     SELECT $1, t.task, t.depth
     FROM ${condition}, unnest($${first}::text[], $${first + 1}::integer[], $${first + 2}::text[]) AS t (task, depth, first)
     WHERE NOT EXISTS (SELECT FROM rxtract.tasks AS o WHERE o.run = $1 AND o.task = t.first)
     ON CONFLICT (run, task) DO NOTHING RETURNING task),
   needed AS (INSERT INTO rxtract.needs (run, task, part)
     SELECT $1, made.task, t.part FROM made
     JOIN unnest($${first + 3}::text[], $${first + 4}::text[]) AS t (task, part) ON t.task = made.task),
   begun AS (INSERT INTO rxtract.records (run, task, number, record)
     SELECT $1, made.task, t.number, t.record FROM made
     JOIN unnest($${first + 5}::text[], $${first + 6}::bigint[], $${first + 7}::text[]) AS t (task, number, record)
       ON t.task = made.task)`;

/** The values of a write: nine, those of its tasks, and one more. */
const valuesEnd = 9 + 8 + 1;

export function valuesOf(tasks: Effect['tasks']): readonly unknown[] {
  const required = tasks.flatMap(({ task, parts }) => parts.map((part) => ({ task, part })));
  const records = tasks.flatMap(({ task, journal }) =>
    journal.map((record, number) => ({ task, number: number + 1, record })),
  );
  return [
    tasks.map(({ task }) => task),
    tasks.map(({ depth }) => depth),
    tasks.map(({ first }) => first),
    required.map(({ task }) => task),
    required.map(({ part }) => part),
    records.map(({ task }) => task),
    records.map(({ number }) => number),
    records.map(({ record }) => record),
  ];
}
