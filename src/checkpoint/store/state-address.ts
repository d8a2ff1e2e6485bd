/** A state by its address: a folder, `postgres://...?state=NAME` or `s3://BUCKET/PREFIX`. */
import { type SinkEnvironment, schemeOf } from '../../../sinks/addresses/address.js';
import { readAddress } from '../../../sinks/addresses/options.js';
import type { AddressEntry, SinkContext } from '../../../sinks/entry.js';
import { withoutSecrets } from '../../../sinks/open-addresses.js';
import { postgresOptions, postgresServer } from '../../../sinks/postgres/postgres-options.js';
import { nameFault } from '../../../sinks/postgres/sql.js';
import { prefixOf, s3Bucket, s3Options, s3PlaceOptions } from '../../../sinks/s3/s3-options.js';
import type { OptionRows } from '../../core/options/kind.js';
import { flag, nonEmptyText } from '../../core/options/kinds.js';
import { usageError } from '../../core/util/check-value.js';
import { didYouMean } from '../../core/util/suggest.js';
import { stateFolder } from './folder-store.js';
import { postgresState } from './postgres-state.js';
import { s3State } from './s3-state.js';
import { serverStore } from './server-store.js';
import type { StateServer } from './state-server.js';
import type { Store } from './store.js';

/** Where an address is read. */
export interface StateContext {
  /** The variables of `${NAME}`, and those that the clients of servers use. Absent: those of the process. */
  readonly env?: SinkEnvironment | undefined;
  /** Gets each secret of the address as soon as it is known. */
  readonly hide?: SinkContext['hide'];
}

const { server, database, user, password, schema, sslmode, ca, cert, certkey } = postgresOptions;

export const postgresStateRows = {
  server,
  database,
  user,
  password,
  schema,
  sslmode,
  ca,
  cert,
  certkey,
  state: { kind: nonEmptyText, summary: 'the name of the state', required: true },
  create: { kind: flag, summary: 'create the schema and tables that are missing', default: true },
} as const satisfies OptionRows;

export const s3StateRows = {
  ...s3PlaceOptions,
  ca,
  cert,
  certkey,
  prefix: { ...s3Options.prefix, summary: 'the state: what precedes the names of its objects', required: true },
} as const satisfies OptionRows;

const postgresEntry: AddressEntry<typeof postgresStateRows> = {
  address: {
    form: 'postgres://[USER[:PASSWORD]@]HOST[:PORT]/DB?state=NAME',
    target: 'server',
    userIsName: true,
    parts: { hosts: 'server', path: 'database', user: 'user', password: 'password' },
  },
  options: postgresStateRows,
  example: 'postgres://localhost:5432/db?state=orders',
};

const s3Entry: AddressEntry<typeof s3StateRows> = {
  address: {
    form: 's3://BUCKET/PREFIX',
    target: 'bucket',
    parts: { hosts: 'bucket', path: 'prefix', user: 'accessKeyId', password: 'secretAccessKey' },
  },
  options: s3StateRows,
  example: 's3://lake/states/orders',
};

/** Creates the server of an address. */
type Connect = (address: string, context: SinkContext, part: string | undefined) => () => StateServer;

const servers: Readonly<Record<string, Connect>> = {
  postgres: connectPostgresState,
  postgresql: connectPostgresState,
  s3: connectS3State,
};

/** Whether the text is an address of a server, and not the path of a folder. */
export const isStateAddress = (text: string): boolean => /^[a-z][a-z\d+.-]*:\/\//i.test(text);

/**
 * The store of a state. Connects when it is opened. `address` is the path of a folder, or that of a server. Throws
 * ERR_USAGE for a wrong address.
 */
export function stateAt(address: string, { env = process.env, hide }: StateContext = {}): Store {
  if (!isStateAddress(address)) return stateFolder(address);
  return serverStore(stateServerAt(address, { env, hide }));
}

/** The server of an address. `part`: of a state within the state, such as its tokens. Throws ERR_USAGE. */
export function stateServerAt(address: string, context: SinkContext, part?: string): () => StateServer {
  const scheme = schemeOf(address) ?? '';
  const connect = Object.hasOwn(servers, scheme) ? servers[scheme] : undefined;
  if (connect !== undefined) return connect(address, context, part);
  const hint = didYouMean(scheme, Object.keys(servers));
  throw usageError(
    `a state is a folder, postgres://HOST/DB?state=NAME or s3://BUCKET/PREFIX, found "${withoutSecrets(address)}"${hint}`,
  );
}

function connectPostgresState(address: string, context: SinkContext, part?: string): () => StateServer {
  const { options, destination } = readAddress(address, postgresEntry, context);
  const fault = nameFault(options.schema);
  if (fault !== undefined) throw usageError(`postgres: "${options.schema}" cannot be the name of a schema: ${fault}`);
  const { schema: inSchema, create: mayCreate } = options;
  const { shown, secrets } = destination;
  const at = postgresServer(options, destination, context.env ?? {});
  const state = part === undefined ? options.state : `${options.state}/${part}`;
  return () => postgresState({ server: at, schema: inSchema, mayCreate, state, shown, secrets });
}

function connectS3State(address: string, context: SinkContext, part?: string): () => StateServer {
  const { options, destination } = readAddress(address, s3Entry, context);
  const { shown, secrets } = destination;
  const at = s3Bucket(options, destination, context.env ?? {});
  const whole = prefixOf(options.prefix);
  const below = part === undefined ? whole : `${whole}${part}/`;
  return () => s3State({ bucket: at, prefix: below, shown, secrets });
}
