/**
 * What the workers of one PostgreSQL share: the counts of requests, and logins.
 * docs/decisions/072-one-rate-and-one-login.md
 */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { quoted } from '../../../sinks/postgres/sql.js';
import type { LoginShare } from '../../http/login-share.js';
import type { MakeRateLimiter } from '../../http/rate-limiter.js';
import { loginsTable, postgresLogins } from './postgres-logins.js';
import { postgresRates, ratesTable } from './postgres-rates.js';
import { postgresStatements, type StatementOptions } from './postgres-statements.js';
import { createSharedLimiter } from './shared-limiter.js';
import { createSharedLogins } from './shared-logins.js';

/** In ms. */
const longestEnd = 1000;

export interface PostgresSharingOptions extends StatementOptions {
  /** The name of the schema. */
  readonly schema: string;
}

/** What one worker has of it. A server that cannot be reached for a minute is ERR_STATE. */
export interface PostgresSharing {
  readonly limiter: MakeRateLimiter;
  /** `key`: what credentials are encrypted with. */
  logins(key: Uint8Array): LoginShare;
  /** Creates the schema and tables that are missing; called before everything else. */
  prepare(): Promise<void>;
  /** Closes the connections. Slots that no request has used are given back before, if that takes no longer than 1 s. */
  end(): Promise<void>;
}

/** Connects at the first use: two connections, so that requests do not wait for the statements of logins. */
export function postgresSharing(options: PostgresSharingOptions): PostgresSharing {
  const inSchema = quoted(options.schema, 'schema');
  const [rates, logins] = [`${inSchema}.rates`, `${inSchema}.logins`];
  const [ofRates, ofLogins] = [postgresStatements(options), postgresStatements(options)];
  return {
    limiter: (context) => createSharedLimiter(postgresRates(ofRates, rates, context.key), context),
    logins: (key) => createSharedLogins(postgresLogins(ofLogins.run, logins, options.shown), key),
    async prepare() {
      const areThere = 'SELECT to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AS found';
      const { rows } = await ofLogins.run(areThere, [rates, logins]);
      if (rows[0]?.found === true) return;
      // One transaction: workers that start together wait for the one that creates them, or the tables of the board.
      await ofLogins.run(`SELECT pg_advisory_xact_lock(hashtext('rxtract board'));
        CREATE SCHEMA IF NOT EXISTS ${inSchema}; ${ratesTable(rates)}; ${loginsTable(logins)}`);
    },
    async end() {
      await turn(); // slots are given back after this one
      const enough = new AbortController();
      const given = ofRates.idle().finally(() => enough.abort());
      await Promise.race([given, sleep(longestEnd, undefined, { signal: enough.signal }).catch(() => {})]);
      ofRates.end();
      ofLogins.end();
    },
  };
}

/**
 * Removes counts that no request needs, and logins that cannot be used or are as old as $1, in ms. Refresh tokens stay:
 * a user would have to log in again. Without an expiry a login may be in use: its worker logs in once more then.
 */
export const sweepShared = `WITH unused AS (DELETE FROM rxtract.rates AS r
    USING (SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms) AS t
    WHERE t.ms - (r.seen - r.shift) >= $1 AND greatest(r.left_until, r.refused_until) <= t.ms + r.shift
      AND NOT EXISTS (SELECT FROM jsonb_each(r.logs) AS kept (span, log), jsonb_array_elements(log) AS entry
        WHERE (entry->>1)::bigint > 0 AND (entry->>0)::float8 + span::float8 > t.ms + r.shift))
  DELETE FROM rxtract.logins WHERE key NOT LIKE 'token %' AND (holder IS NULL OR until < now())
    AND (expires IS NULL OR expires < now()) AND (refused_until IS NULL OR refused_until < now())
    AND coalesce(written, until, '-infinity') <= now() - $1 * interval '1 ms'`;
