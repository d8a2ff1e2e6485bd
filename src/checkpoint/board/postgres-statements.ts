/** Statements at a PostgreSQL, one after the other on one connection. */
import { maskedBy } from '../../../sinks/addresses/address-secrets.js';
import type { PostgresConnection, PostgresResult, PostgresServer } from '../../../sinks/postgres/postgres-client.js';
import { postgresLine } from '../../../sinks/postgres/postgres-line.js';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import { defined } from '../../core/util/defined.js';

/** Runs one statement, again on a new connection if it breaks, for a minute at most. Rejects with ERR_STATE. */
export type RunStatement = (text: string, values?: readonly unknown[]) => Promise<PostgresResult>;

export interface StatementOptions {
  readonly server: PostgresServer;
  /** The address without secrets, for messages. */
  readonly shown: string;
  /** Those of the address. */
  readonly secrets: readonly string[];
}

/** A connection for statements. */
export interface PostgresStatements {
  readonly run: RunStatement;
  /** Runs one statement a single time, and settles if its answer is lost too. */
  once(text: string, values: readonly unknown[]): Promise<void>;
  /** Settles when no statement is under way. */
  idle(): Promise<void>;
  end(): void;
}

/** Connects at the first statement. */
export function postgresStatements({ server, shown, secrets }: StatementOptions): PostgresStatements {
  const line = postgresLine(server);
  const underWay = new Set<Promise<unknown>>();
  const alone = async <T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> => {
    const working = line.alone(work);
    underWay.add(working);
    try {
      return await working;
    } catch (thrown) {
      const { message, cause, where } = asExtractError(await maskedBy(secrets, thrown));
      const { remedy } = where;
      throw new ExtractError('ERR_STATE', `cannot share rates and logins at "${shown}": ${message}`, {
        ...defined({ cause, remedy }),
      });
    } finally {
      underWay.delete(working);
    }
  };
  return {
    run: (text, values) => alone((connection) => connection.query(text, values)),
    once: (text, values) => alone(async (connection) => void (await connection.query(text, values).catch(() => {}))),
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
    end: line.end,
  };
}
