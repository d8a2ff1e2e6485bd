/** Logins in PostgreSQL: a row for each, with the one that may change it. Each call is one statement. */
import { defined } from '../../core/util/defined.js';
import type { RunStatement } from './postgres-statements.js';
import type { LoginCell, LoginCells } from './shared-logins.js';

/** `sealed` is encrypted. `until`: without a sign of life of the holder until then, another one takes its place. */
export const loginsTable = (table: string): string => `CREATE TABLE IF NOT EXISTS ${table} (key text PRIMARY KEY,
  generation bigint NOT NULL DEFAULT 0, sealed text, expires timestamptz, written timestamptz, holder text, until timestamptz,
  refusal text, refusals int NOT NULL DEFAULT 0, refused_until timestamptz)`;

const lease = `clock_timestamp() + interval '10 s'`;

/** In seconds: the wait for the next login after a refusal, and after many in a row. */
const firstWait = 30;
const longestWait = 600;

/** No time of expiry: until it is refused. */
const cell = `generation::text, sealed, refusal,
  extract(epoch FROM refused_until - clock_timestamp())::float8 * 1000 AS wait,
  CASE WHEN expires IS NULL THEN 'Infinity' ELSE extract(epoch FROM expires - clock_timestamp()) * 1000 END::float8 AS lifetime`;

/** The cells of a table that is there. */
export function postgresLogins(run: RunStatement, table: string, shown: string): LoginCells {
  const changed = async (text: string, values: readonly unknown[]) => (await run(text, values)).rowCount === 1;
  const mine = 'WHERE key = $1 AND holder = $2';
  return {
    name: shown,
    async read(key) {
      const { rows } = await run(`SELECT ${cell} FROM ${table} WHERE key = $1`, [key]);
      return cellOf(rows[0]);
    },
    async take(key, holder) {
      const text = `INSERT INTO ${table} AS r (key, holder, until) VALUES ($1, $2, ${lease})
        ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, until = ${lease}
        WHERE r.holder IS NULL OR r.holder = excluded.holder OR r.until < clock_timestamp() RETURNING ${cell}`;
      const { rows } = await run(text, [key, holder]);
      return rows[0] === undefined ? undefined : cellOf(rows[0]);
    },
    async put(key, holder, sealed, lifetime) {
      const text = `UPDATE ${table} SET generation = generation + 1, sealed = $3, written = now(), until = ${lease},
        refusal = NULL, refusals = 0, refused_until = NULL,
        expires = CASE WHEN $4::float8 < 1e15 THEN clock_timestamp() + $4::float8 * interval '1 ms' END ${mine}
        RETURNING generation::text`;
      const { rows } = await run(text, [key, holder, sealed, Number.isFinite(lifetime) ? lifetime : 1e15]);
      return rows[0] === undefined ? undefined : Number(rows[0].generation);
    },
    async refuse(key, holder, sealed) {
      const text = `UPDATE ${table} SET refusal = $3, refusals = refusals + 1,
        refused_until = clock_timestamp() + least(${firstWait} * 2 ^ least(refusals, 10), ${longestWait}) * interval '1 s' ${mine}`;
      await run(text, [key, holder, sealed]);
    },
    beat: (key, holder) => changed(`UPDATE ${table} SET until = ${lease} ${mine}`, [key, holder]),
    async release(key, holder) {
      await run(`UPDATE ${table} SET holder = NULL, until = NULL ${mine}`, [key, holder]);
    },
  };
}

function cellOf(row: Readonly<Record<string, unknown>> = {}): LoginCell {
  const { generation = 0, lifetime = 0, sealed = null, refusal = null, wait } = row;
  const isRefused = refusal !== null && Number(wait) > 0;
  return {
    generation: Number(generation),
    lifetime: Number(lifetime),
    ...defined({ sealed: sealed === null ? undefined : String(sealed) }),
    ...(isRefused ? { refusal: { sealed: String(refusal), wait: Number(wait) } } : {}),
  };
}
