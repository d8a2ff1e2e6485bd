/** Statements at a PostgreSQL, one after the other on one connection. */
import { maskedBy } from '../../../sinks/addresses/address-secrets.js';
import type { PostgresResult, PostgresServer } from '../../../sinks/postgres/postgres-client.js';
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

/** Connects at the first statement. */
export function postgresStatements({ server, shown, secrets }: StatementOptions) {
  const line = postgresLine(server);
  const run: RunStatement = async (text, values) => {
    try {
      return await line.alone((connection) => connection.query(text, values));
    } catch (thrown) {
      const { message, cause, where } = asExtractError(await maskedBy(secrets, thrown));
      const { remedy } = where;
      throw new ExtractError('ERR_STATE', `cannot share rates and logins at "${shown}": ${message}`, {
        ...defined({ cause, remedy }),
      });
    }
  };
  return { run, end: line.end };
}
