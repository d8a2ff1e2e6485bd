/** What jobs remember from one shared run to the next: a state in the schema of the board. */
import type { PostgresResult } from '../../../sinks/postgres/postgres-client.js';
import { defined } from '../../core/util/defined.js';
import { memoryIn } from '../checkpoint.js';
import { recordIn } from '../records.js';
import { stateTables } from '../store/postgres-state.js';
import type { KnownState } from './board.js';

export const boardSchema = 'rxtract';

const { states, records } = stateTables(boardSchema);

export { states as statesTable };

type Query = (text: string, values?: readonly unknown[]) => Promise<PostgresResult>;

/** What a state is, and the process that has it. */
export interface ReadState extends Omit<KnownState, 'usedBy'> {
  readonly holder?: string;
}

/** Reads a state. One that is not there has the generation 0. */
export async function readState(query: Query, name: string): Promise<ReadState> {
  const { rows } = await query(
    `SELECT s.generation::text, s.holder, r.record FROM ${states} AS s LEFT JOIN ${records} AS r ON r.state = s.name
     WHERE s.name = $1 ORDER BY r.number`,
    [name],
  );
  const [first] = rows;
  const texts = rows.flatMap(({ record }) => (record === null ? [] : [String(record)]));
  const holder = typeof first?.holder === 'string' ? first.holder : undefined;
  const generation = Number(first?.generation ?? 0);
  return { name, generation, remembered: memoryIn(texts.map(recordIn)), ...defined({ holder }) };
}

/**
 * A step that gives a state to a run. It has a row if nothing has changed the state since it was read, and no run has
 * the name $1. `first`: the number of the name of the state; its generation follows.
 */
export const takeState = (first: number): string =>
  `held AS (INSERT INTO ${states} AS s (name, epoch, beats, generation, holder)
     SELECT $${first}::text, 1, 0, 1, NULL WHERE NOT EXISTS (SELECT FROM rxtract.runs WHERE name = $1)
     ON CONFLICT (name) DO UPDATE SET generation = s.generation + 1, beats = s.beats + 1
     WHERE s.generation = $${first + 1}::bigint AND s.holder IS NULL RETURNING generation)`;

/** Whether the run $1 has no state, or nothing else has changed it since. */
export const hasState = `NOT EXISTS (SELECT FROM rxtract.runs AS u WHERE u.name = $1 AND u.state IS NOT NULL
  AND NOT EXISTS (SELECT FROM ${states} AS s WHERE s.name = u.state AND s.generation = u.state_generation))`;

/** Steps that store a record in the state of the run $1, if `mine` has a row. `record`: the number of its value. */
export const moveState = (record: number): string =>
  `moved AS (UPDATE ${states} AS s SET generation = s.generation + 1, beats = s.beats + 1 FROM mine, rxtract.runs AS u
     WHERE u.name = $1 AND s.name = u.state AND s.generation = u.state_generation RETURNING s.name),
   forgotten AS (DELETE FROM ${records} AS old USING moved WHERE old.state = moved.name),
   kept AS (INSERT INTO ${records} (state, number, record) SELECT moved.name,
     (SELECT coalesce(max(number), 0) + 1 FROM ${records} WHERE state = moved.name), $${record}::text FROM moved),`;
