/** The options of the address of a PostgreSQL sink. */
import { usageError } from '../../src/core/util/check-value.js';
import { type AddressOptions, decodeText, type SinkAddress, type SinkEnvironment } from '../addresses/address.js';
import { credentialOf, settingOf } from '../addresses/environment.js';
import { flagOption, hostText, readServer, textOption, wordOption } from '../addresses/server-address.js';
import { mustNotHaveTls, readTls, type TlsSettings, tlsOptions } from '../servers/tls.js';
import { readKeys, tableOptions } from '../tables/keys.js';
import { passwordIn } from './password-file.js';
import type { PostgresServer, SslMode } from './postgres-client.js';
import { nameFault } from './sql.js';
import type { TableMode } from './table.js';

/** The options of its address. */
export const postgresOptions = {
  schema: { summary: 'the schema of the tables', type: 'a name', default: 'public' },
  ...tableOptions,
  log: {
    summary: 'with `mode=append`: each page is visible as soon as it is stored, not at the end of the run',
    type: '`true` or `false`',
    default: 'false',
  },
  columns: {
    summary:
      '`item`: one column with the JSON of the item; `typed`: a column for each text, number, boolean and list of the items',
    type: '`item` or `typed`',
    default: 'item',
  },
  type: {
    summary: 'the type of JSON: `jsonb`, or `json`, which keeps every character and accepts `\\u0000`',
    type: '`jsonb` or `json`',
    default: 'jsonb',
  },
  create: {
    summary: 'create the schema and tables that are missing',
    type: '`true` or `false`',
    default: 'true',
  },
  sslmode: {
    summary: '`prefer`: TLS if the server has it, not verified; `verify-full`: its certificate must be valid',
    type: '`disable`, `prefer`, `require`, `verify-ca` or `verify-full`',
    otherwise: '`prefer`; with `ca` `verify-full`',
  },
  ...tlsOptions,
} as const satisfies AddressOptions;

export interface PostgresSettings {
  readonly server: PostgresServer;
  readonly schema: string;
  readonly mode: TableMode;
  /** A column for each leaf, and not one for the item. */
  readonly isTyped: boolean;
  readonly type: 'json' | 'jsonb';
  readonly keys: readonly (readonly string[])[];
  readonly mayCreate: boolean;
  /** Sinks with another identity have their own positions. */
  readonly identity: string;
  readonly shown: string;
}

/** Reads an address; `env` has the usual variables of PostgreSQL. Throws ERR_USAGE. */
export function postgresSettings(address: SinkAddress, env: SinkEnvironment): PostgresSettings {
  const schema = textOption(address, 'schema') ?? 'public';
  const fault = nameFault(schema);
  if (fault !== undefined)
    throw usageError(`postgres: ${JSON.stringify(schema)} cannot be the name of a schema: ${fault}`);
  const server = serverOf(address, env);
  const mode = modeOf(address);
  const keys = readKeys('postgres', address, mode === 'merge');
  const type = wordOption(address, 'type', ['jsonb', 'json']) ?? 'jsonb';
  const isTyped = wordOption(address, 'columns', ['item', 'typed']) === 'typed';
  return {
    server,
    schema,
    mode,
    keys,
    type,
    isTyped,
    mayCreate: flagOption(address, 'create', true),
    identity: JSON.stringify([server.database, schema, mode, keys, type, isTyped]),
    shown: address.shown,
  };
}

function serverOf(address: SinkAddress, env: SinkEnvironment): PostgresServer {
  const { hosts, path, ...credentials } = readServer(address, 5432);
  const [host, second] = hosts;
  if (host === undefined || second !== undefined) throw usageError('postgres: expected one host');
  const database = decodeText(path);
  if (database === '' || path.includes('/')) {
    throw usageError(`postgres: expected the name of a database, as in postgres://${hostText(host)}/DB`);
  }
  const tls = readTls(address);
  const sslMode = sslModeOf(address, tls);
  const user = credentials.user ?? settingOf(env, 'PGUSER');
  const password = passwordOf(address, credentials.password, env);
  return {
    ...host,
    database,
    sslMode,
    ...(user === undefined ? {} : { user }),
    password: password ?? ((as) => passwordIn({ ...host, database, user: as }, env, address)),
    ...(tls === undefined ? {} : { tls }),
  };
}

/** Undefined: the file of passwords may have it. */
const passwordOf = (address: SinkAddress, given: string | undefined, env: SinkEnvironment): string | undefined =>
  given === undefined || given === '' ? credentialOf(env, 'PGPASSWORD', address) : given;

function sslModeOf(address: SinkAddress, tls: TlsSettings | undefined): SslMode {
  const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
  const mode = wordOption(address, 'sslmode', modes) ?? (tls?.ca === undefined ? 'prefer' : 'verify-full');
  if (mode === 'disable') mustNotHaveTls(tls, 'postgres', 'leave out sslmode=disable');
  if (tls?.ca === undefined || mode === 'verify-ca' || mode === 'verify-full') return mode;
  throw usageError(`postgres: ca needs sslmode=verify-ca or verify-full: with ${mode} no certificate is verified`);
}

function modeOf(address: SinkAddress): TableMode {
  const mode = wordOption(address, 'mode', ['replace', 'append', 'merge']) ?? 'replace';
  if (!flagOption(address, 'log', false)) return mode;
  if (mode !== 'append') throw usageError('postgres: log=true needs mode=append');
  return 'log';
}
