/** A board by its address, `postgres://HOST/DB`. */
import { schemeOf } from '../../../sinks/addresses/address.js';
import { readAddress } from '../../../sinks/addresses/options.js';
import type { AddressEntry, SinkContext } from '../../../sinks/entry.js';
import { withoutSecrets } from '../../../sinks/open-addresses.js';
import { postgresOptions, postgresServer } from '../../../sinks/postgres/postgres-options.js';
import { usageError } from '../../core/util/check-value.js';
import { didYouMean } from '../../core/util/suggest.js';
import { type Board, usualLease } from './board.js';
import { postgresBoard } from './postgres-board.js';
import { type PostgresSharing, postgresSharing } from './postgres-sharing.js';
import type { StatementOptions } from './postgres-statements.js';

const { server, database, user, password, sslmode, ca, cert, certkey } = postgresOptions;

const rows = { server, database, user, password, sslmode, ca, cert, certkey } as const;

const entry: AddressEntry<typeof rows> = {
  address: {
    form: 'postgres://[USER[:PASSWORD]@]HOST[:PORT]/DB',
    target: 'server',
    userIsName: true,
    parts: { hosts: 'server', path: 'database', user: 'user', password: 'password' },
  },
  options: rows,
  example: 'postgres://localhost:5432/db',
};

const schemes: readonly string[] = ['postgres', 'postgresql'];

/** Connects at its first call. `lease`: how long a process has a task without a beat, in ms. Throws ERR_USAGE. */
export const boardAt = (address: string, context: SinkContext, lease = usualLease): Board =>
  postgresBoard({ ...serverOf(address, context), lease });

/** The rates and logins at a board. Throws ERR_USAGE. */
export const sharingAt = (address: string, context: SinkContext): PostgresSharing =>
  postgresSharing({ ...serverOf(address, context), schema: 'rxtract' });

function serverOf(address: string, context: SinkContext): StatementOptions {
  const scheme = schemeOf(address) ?? address;
  if (!schemes.includes(scheme)) {
    const hint = didYouMean(scheme, schemes);
    throw usageError(`a board is postgres://HOST/DB, found "${withoutSecrets(address)}"${hint}`);
  }
  const { options, destination } = readAddress(address, entry, context);
  const { shown, secrets } = destination;
  return { server: postgresServer(options, destination, context.env ?? {}), shown, secrets };
}
