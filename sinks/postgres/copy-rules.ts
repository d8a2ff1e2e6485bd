/** Gives a staging table the rules of its target, so that items that break them are found with their page. */
import { isKeyed } from '../tables/keys.js';
import type { PostgresConnection } from './postgres-client.js';
import { isServerError } from './postgres-errors.js';
import { quoted } from './sql.js';
import type { TableMode, TargetTable } from './table.js';

/**
 * Adds the CHECK constraints of the target, and its unique indexes where two items with one key cannot both be stored.
 * A rule whose columns are not there yet is left out, as is one that rows break already: it counts at the end.
 */
export async function copyRules(
  connection: PostgresConnection,
  { target, staging }: TargetTable,
  mode: TableMode,
): Promise<void> {
  const checks = await newRules(connection, { text: checksOf, target, staging });
  const uniques = isKeyed(mode) ? [] : await newRules(connection, { text: uniquesOf, target, staging });
  const statements = [
    ...checks.map(({ name, rule }) => `ALTER TABLE ${staging} ADD CONSTRAINT ${quoted(name, 'constraint')} ${rule}`),
    ...uniques.map(({ rule }) => `CREATE UNIQUE INDEX ON ${staging} ${rule}`),
  ];
  for (const statement of statements) await tryRule(connection, statement);
}

interface Rule {
  readonly name: string;
  readonly rule: string;
}

const checksOf = `SELECT conname AS name, pg_get_constraintdef(oid) AS rule
  FROM pg_constraint WHERE contype = 'c' AND conrelid = to_regclass($1) ORDER BY 1`;
const uniquesOf = `SELECT relname AS name, substring(pg_get_indexdef(indexrelid) FROM ' (USING .*)$') AS rule
  FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
  WHERE indisunique AND indisvalid AND indrelid = to_regclass($1) ORDER BY 1`;

/** The rules of the target that staging does not have. */
async function newRules(
  connection: PostgresConnection,
  { text, target, staging }: { readonly text: string; readonly target: string; readonly staging: string },
): Promise<readonly Rule[]> {
  const rulesOf = async (table: string): Promise<readonly Rule[]> =>
    (await connection.query(text, [table])).rows.map(({ name, rule }) => ({ name: String(name), rule: String(rule) }));
  const known = new Set((await rulesOf(staging)).map(({ rule }) => rule));
  return (await rulesOf(target)).filter(({ rule }) => !known.has(rule));
}

async function tryRule(connection: PostgresConnection, statement: string): Promise<void> {
  await connection.query('SAVEPOINT rule');
  try {
    await connection.query(`${statement}; RELEASE SAVEPOINT rule`);
  } catch (thrown) {
    if (!isServerError(thrown) || !/^(?:42|23)/.test(thrown.code)) throw thrown;
    await connection.query('ROLLBACK TO SAVEPOINT rule; RELEASE SAVEPOINT rule');
  }
}
