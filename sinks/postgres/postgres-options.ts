/** The options of a PostgreSQL sink, and what follows from them. */
import type { OptionRows, OptionsOf } from '../../src/core/options/kind.js';
import { flag, nonEmptyText, word } from '../../src/core/options/kinds.js';
import { usageError } from '../../src/core/util/check-value.js';
import { defined } from '../../src/core/util/defined.js';
import type { SinkEnvironment } from '../addresses/address.js';
import { credentialOf, settingOf } from '../addresses/environment.js';
import { hosts, pathName } from '../addresses/kinds.js';
import { readHost } from '../addresses/server-address.js';
import type { Destination } from '../entry.js';
import { type ListSettings, listRows, listSettingsOf } from '../related-tables/list-options.js';
import { credentials } from '../servers/credentials.js';
import { mustNotHaveTls, readTls, type TlsSettings, tlsOptions } from '../servers/tls.js';
import { isKeyed, mustBeMirror, readKeys, tableOptions } from '../tables/keys.js';
import { typeOptions } from '../tables/text-forms.js';
import { passwordIn } from './password-file.js';
import type { PostgresServer, SslMode } from './postgres-client.js';
import { nameFault } from './sql.js';
import type { TableMode } from './table.js';

export const postgresOptions = {
  server: { kind: hosts, summary: '`HOST:PORT`; without a port it is 5432', required: true },
  database: { kind: pathName, summary: 'the name of the database', required: true },
  ...credentials,
  schema: { kind: nonEmptyText, summary: 'the schema of the tables', default: 'public' },
  ...tableOptions,
  log: {
    kind: flag,
    summary: 'with `mode=append`: each page is visible as soon as it is stored, not at the end of the run',
    default: false,
  },
  columns: {
    kind: word('item', 'typed'),
    summary:
      '`item`: one column with the JSON of the item; `typed`: a column for each text, number, boolean and list of the items',
    default: 'item',
  },
  ...typeOptions,
  ...listRows,
  foreignKeys: {
    kind: flag,
    summary:
      'with `lists=tables`: tables of lists get foreign keys to those of their items, and these the unique index that it takes',
    default: false,
  },
  type: {
    kind: word('jsonb', 'json'),
    summary: 'the type of JSON: `jsonb`, or `json`, which keeps every character and accepts `\\u0000`',
    default: 'jsonb',
  },
  create: { kind: flag, summary: 'create the schema and tables that are missing', default: true },
  sslmode: {
    kind: word('disable', 'prefer', 'require', 'verify-ca', 'verify-full'),
    summary: '`prefer`: TLS if the server has it, not verified; `verify-full`: its certificate must be valid',
    otherwise: '`prefer`; with `ca` `verify-full`',
  },
  ...tlsOptions,
} as const satisfies OptionRows;

type Options = OptionsOf<typeof postgresOptions>;

export interface PostgresSettings {
  readonly server: PostgresServer;
  readonly schema: string;
  readonly mode: TableMode;
  /** A column for each leaf, and not one for the item. */
  readonly isTyped: boolean;
  /** Texts of one form have a type. */
  readonly findsForms: boolean;
  readonly type: 'json' | 'jsonb';
  readonly keys: readonly (readonly string[])[];
  readonly lists: ListSettings;
  /** Tables of lists get foreign keys. */
  readonly hasForeignKeys: boolean;
  /** With `mirror`: the column for the time when a row was found missing. */
  readonly deleted: string | undefined;
  readonly mayCreate: boolean;
  /** Sinks with another identity have their own positions. */
  readonly identity: string;
  readonly shown: string;
  /** `SinkContext.span`. */
  readonly span: AbortSignal | undefined;
}

/** `env` has the usual variables of PostgreSQL. Throws ERR_USAGE for options that do not go together. */
export function postgresSettings(options: Options, destination: Destination, env: SinkEnvironment): PostgresSettings {
  const { database, schema, type, columns, create, deleted } = options;
  const fault = nameFault(schema);
  if (fault !== undefined)
    throw usageError(`postgres: ${JSON.stringify(schema)} cannot be the name of a schema: ${fault}`);
  const mode = modeOf(options);
  mustBeMirror('postgres', options);
  const lists = listSettingsOf('postgres', options);
  if (lists.depth > 0 && mode === 'log') throw usageError('postgres: lists=tables needs log=false');
  mustHaveTables(options, lists);
  const keys = isKeyed(mode) || lists.depth === 0 ? readKeys('postgres', options.key, mode) : [];
  const isTyped = columns === 'typed';
  return {
    server: postgresServer(options, destination, env),
    schema,
    mode,
    keys,
    lists,
    hasForeignKeys: options.foreignKeys,
    type,
    isTyped,
    findsForms: options.types === 'auto',
    deleted,
    mayCreate: create,
    identity: JSON.stringify([
      database,
      schema,
      mode,
      keys,
      type,
      isTyped,
      ...(deleted === undefined ? [] : [deleted]),
      ...(options.types === 'auto' ? [] : [options.types]),
      ...(lists.depth === 0 ? [] : [options.lists, lists.keys]),
    ]),
    shown: destination.shown,
    span: destination.span,
  };
}

function mustHaveTables({ foreignKeys, create }: Options, { depth }: ListSettings): void {
  if (!foreignKeys) return;
  if (depth === 0) throw usageError('postgres: foreignKeys needs lists=tables');
  if (!create) throw usageError('postgres: foreignKeys needs create=true');
}

/** The options of the connection. */
export type ServerOptions = Pick<
  Options,
  'server' | 'database' | 'user' | 'password' | 'sslmode' | 'ca' | 'cert' | 'certkey'
>;

/** `env` has the usual variables of PostgreSQL. Throws ERR_USAGE for options that do not go together. */
export function postgresServer(options: ServerOptions, destination: Destination, env: SinkEnvironment): PostgresServer {
  const { database } = options;
  const host = readHost(options.server, 'postgres', 5432);
  const tls = readTls(options, destination);
  const user = options.user ?? settingOf(env, 'PGUSER');
  const password = options.password ?? credentialOf(env, 'PGPASSWORD', destination);
  return {
    ...host,
    database,
    sslMode: sslModeOf(options, tls),
    // Without one, the file of passwords may have it.
    password: password ?? ((as) => passwordIn({ ...host, database, user: as }, env, destination)),
    ...defined({ user, tls }),
  };
}

function sslModeOf({ sslmode }: ServerOptions, tls: TlsSettings | undefined): SslMode {
  const mode = sslmode ?? (tls?.ca === undefined ? 'prefer' : 'verify-full');
  if (mode === 'disable') mustNotHaveTls(tls, 'postgres', 'leave out sslmode=disable');
  if (tls?.ca === undefined || mode === 'verify-ca' || mode === 'verify-full') return mode;
  throw usageError(`postgres: ca needs sslmode=verify-ca or verify-full: with ${mode} no certificate is verified`);
}

function modeOf({ mode, log }: Options): TableMode {
  if (!log) return mode;
  if (mode !== 'append') throw usageError('postgres: log=true needs mode=append');
  return 'log';
}
