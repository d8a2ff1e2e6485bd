/**
 * The counts of requests in PostgreSQL. A row holds those of one API; each call is one statement that locks it, and
 * reads nothing else, so that its arithmetic sees what the one before it has written.
 */
import type { PostgresStatements } from './postgres-statements.js';
import type { RateLedger } from './shared-limiter.js';

/**
 * Times are ms of the server. They never go back: where its clock is set back, `shift` grows instead. `logs` has for
 * each span the slots that were given, by the time until which they may be used.
 */
export const ratesTable = (table: string): string => `CREATE TABLE IF NOT EXISTS ${table} (key text PRIMARY KEY,
  logs jsonb NOT NULL DEFAULT '{}', seen float8 NOT NULL DEFAULT 0, shift float8 NOT NULL DEFAULT 0,
  total bigint NOT NULL DEFAULT 0, left_over bigint NOT NULL DEFAULT 0, left_until float8 NOT NULL DEFAULT 0,
  left_at bigint NOT NULL DEFAULT 0, refused_until float8 NOT NULL DEFAULT 0,
  given int NOT NULL DEFAULT 0, wait float8 NOT NULL DEFAULT 0, held float8 NOT NULL DEFAULT 0)`;

/** Times of a log are multiples of this part of its span: this bounds its length, and costs as much of the rate. */
const grains = 64;

/** The time now, once for a statement. */
const clock = `(SELECT greatest(r.seen, t.ms + r.shift) AS ms, greatest(r.shift, r.seen - t.ms) AS shift
    FROM (SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms) t) now`;

/**
 * $2: how many slots, $3: within how many ms they are used, $4: the rates, as a JSON list of [span, most]. A slot
 * counts from when it is given until its span after the last moment at which it may be used.
 */
const takeText = (table: string) => `UPDATE ${table} AS r SET
  (logs, seen, shift, total, left_over, given, wait, held) = (
    SELECT coalesce(added.logs, '{}'), now.ms, now.shift, r.total + slots.given,
      r.left_over - CASE WHEN r.left_until > now.ms THEN slots.given ELSE 0 END,
      slots.given, greatest(1, free.wait, stated.wait), stated.wait
    FROM ${clock},
    LATERAL (SELECT coalesce(jsonb_object_agg(spans.span, counted.log), '{}') AS logs,
        coalesce(min(spans.most - counted.total), $2) AS room,
        max(CASE WHEN counted.total >= spans.most THEN counted.first + spans.span::float8 - now.ms END) AS wait
      FROM (SELECT span, min(most) AS most FROM (
          SELECT rate->>0 AS span, (rate->>1)::bigint AS most FROM jsonb_array_elements($4::jsonb) rate
          UNION ALL SELECT span, NULL FROM jsonb_object_keys(r.logs) span) each GROUP BY span) spans,
      LATERAL (SELECT coalesce(jsonb_agg(entry), '[]') AS log, coalesce(sum((entry->>1)::bigint), 0) AS total,
          min((entry->>0)::float8) AS first
        FROM jsonb_array_elements(coalesce(r.logs->spans.span, '[]')) entry
        WHERE (entry->>0)::float8 + spans.span::float8 > now.ms) counted) free,
    LATERAL (SELECT greatest(0, CASE WHEN r.left_over <= 0 THEN r.left_until - now.ms END,
      r.refused_until - now.ms) AS wait) stated,
    LATERAL (SELECT greatest(0, least($2, free.room, CASE WHEN r.left_until > now.ms THEN r.left_over END,
      CASE WHEN r.refused_until > now.ms THEN 0 END))::int AS given) slots,
    LATERAL (SELECT jsonb_object_agg(span, CASE WHEN slots.given = 0 THEN log ELSE (
        SELECT jsonb_agg(jsonb_build_array(until, count) ORDER BY until) FROM (
          SELECT until, sum(count) AS count FROM (
            SELECT (entry->>0)::float8 AS until, (entry->>1)::bigint AS count FROM jsonb_array_elements(log) entry
            UNION ALL
            SELECT ceil((now.ms + $3) / grain.ms) * grain.ms, slots.given
              FROM (SELECT span::float8 / ${grains} AS ms) grain) entries GROUP BY until) merged) END) AS logs
      FROM jsonb_each(free.logs) AS kept (span, log)) added
  ) WHERE key = $1 RETURNING given, seen, total::text, wait, held`;

/**
 * $2: how many slots, $3: when they were given, $4: within how many ms they were to be used, $5: the spans of their
 * rates. What a response has said of the requests that are left stays: it may have counted them.
 */
const unusedText = (table: string) => `UPDATE ${table} AS r SET logs = (
    SELECT coalesce(jsonb_object_agg(span, CASE WHEN $5::jsonb ? span THEN (
        SELECT coalesce(jsonb_agg(CASE WHEN (entry->>0)::float8 = ceil(($3::float8 + $4) / grain.ms) * grain.ms
            THEN jsonb_build_array(entry->0, greatest(0, (entry->>1)::bigint - $2)) ELSE entry END), '[]')
        FROM jsonb_array_elements(log) entry, (SELECT span::float8 / ${grains} AS ms) grain) ELSE log END), '{}')
    FROM jsonb_each(r.logs) AS kept (span, log)
  ) WHERE key = $1`;

/**
 * $2: how many requests are left, $3: for how many ms, $4: how many have no response yet, $5: the total when the
 * request was sent. Slots that were given since are not left any more. A response to an older request changes nothing.
 */
const leftText = (table: string) => `UPDATE ${table} AS r SET (seen, shift, left_over, left_until, left_at) = (
    SELECT now.ms, now.shift,
      CASE WHEN news.counts THEN news.rest ELSE r.left_over END,
      CASE WHEN news.counts THEN now.ms + $3 ELSE r.left_until END,
      CASE WHEN news.counts THEN $5::bigint ELSE r.left_at END
    FROM ${clock},
    LATERAL (SELECT greatest(0, $2::bigint - greatest($4::bigint, r.total - $5::bigint)) AS rest,
      r.left_until <= now.ms OR $5::bigint >= r.left_at AS counts) news
  ) WHERE key = $1`;

/** $2: for how many ms no request is sent. */
const refusedText = (table: string) => `UPDATE ${table} AS r SET (seen, shift, refused_until) = (
    SELECT now.ms, now.shift, greatest(r.refused_until, now.ms + $2) FROM ${clock}
  ) WHERE key = $1`;

/** The ledger of one API. The table is there. */
export function postgresRates({ run, once }: PostgresStatements, table: string, key: string): RateLedger {
  const [taking, leaving, refusing] = [takeText(table), leftText(table), refusedText(table)];
  const returning = unusedText(table);
  const changed = async (text: string, values: readonly unknown[]) => {
    const first = await run(text, [key, ...values]);
    if (first.rowCount === 1) return first;
    await run(`INSERT INTO ${table} (key) VALUES ($1) ON CONFLICT DO NOTHING`, [key]);
    return run(text, [key, ...values]);
  };
  return {
    async take({ count: wanted, late, rates }) {
      const spans = JSON.stringify(rates.map(({ most, ms }) => [ms, most]));
      const { rows } = await changed(taking, [wanted, late, spans]);
      const { given, seen, total, wait, held } = rows[0] ?? {};
      const [count, at] = [Number(given), Number(seen)];
      return { count, at, total: Number(total), wait: Number(wait), held: Number(held) };
    },
    async giveBack({ count, at, late, rates }) {
      await once(returning, [key, count, at, late, JSON.stringify(rates.map(({ ms }) => String(ms)))]);
    },
    async hold({ left, ms, isRefusal, underWay, total }) {
      if (isRefusal) await changed(refusing, [ms]);
      else await changed(leaving, [left, ms, underWay, total]);
    },
  };
}
