/** How a sink describes itself: its address and its options, of which the reference, help and completion are made. */
import type { Writable } from 'node:stream';
import type { Notify } from '../src/core/model/notice.js';
import type { OptionRow, OptionRows, OptionsOf } from '../src/core/options/kind.js';
import type { SinkEnvironment } from './addresses/address.js';
import type { AddressSecrets } from './addresses/address-secrets.js';
import { guaranteeOf, type Recovery, type Sink } from './contract.js';

/** Process facilities that a sink may use. */
export interface SinkContext {
  readonly notify?: Notify | undefined;
  /** Default: standard output of the process. */
  readonly stdout?: Writable | undefined;
  /** The variables for `${NAME}` in user information and headers of an address. Absent: there are none. */
  readonly env?: SinkEnvironment | undefined;
  /**
   * The sinks of all tasks of a run in this process have the same one: what they keep for the next task, such as
   * connections, ends when it aborts. Absent: they keep nothing.
   */
  readonly span?: AbortSignal | undefined;
  /** Gets each secret of the address, and each that its client finds later, such as the password in a file. */
  readonly hide?: ((secret: string) => void) | undefined;
}

/**
 * A sink of the registry. `create` gets validated options, with the defaults of their rows, and opens nothing. The
 * summary is a phrase: lower case, no full stop.
 */
export interface SinkEntry<Rows extends OptionRows = OptionRows> {
  readonly summary: string;
  readonly address: AddressForm;
  /** All options in code. Those of `address.parts` are parts of an address, the others are written `NAME=VALUE`. */
  readonly options: Rows;
  /** A call that creates it in code. */
  readonly code: string;
  /** How it removes a page that must not count; with one option another way. */
  readonly recovery: Recovery | ChosenRecovery;
  /** Rules that no single option explains: a sentence or more each. */
  readonly rules?: readonly string[];
  /** The packages to install next to rxtract. */
  readonly packages?: readonly string[];
  readonly example: string;
  /** What the names of its files or tables depend on: two sinks with equal ones write the same output. */
  outputNames?(options: OptionsOf<Rows>): string;
  create(options: OptionsOf<Rows>, destination: Destination): Sink;
}

interface ChosenRecovery {
  readonly usual: Recovery;
  /** As written in an address, such as `transactions=true`. */
  readonly option: string;
  readonly withOption: Recovery;
}

/** The address of a sink. */
export interface AddressForm {
  /** For people, such as `ndjson:DIR`. */
  readonly form: string;
  /** What follows the colon. A server or bucket is `//user:password@host`. */
  readonly target: 'nothing' | 'directory' | 'file' | 'server' | 'bucket';
  /** All schemes; absent: the name of the sink is the only one. */
  readonly schemes?: readonly string[];
  /** The scheme that sets the option `tls`. */
  readonly tlsScheme?: string;
  /** The options that are parts of the address. */
  readonly parts?: AddressParts;
  /** `#`: options follow this character, because the target may contain `?`. */
  readonly optionsAfter?: '#';
  /** A user without a password is a name, and no secret. */
  readonly userIsName?: true;
}

/** Names of options. */
interface AddressParts {
  /** All after the colon. */
  readonly target?: string;
  /** All but the credentials, with the scheme. */
  readonly url?: string;
  readonly hosts?: string;
  /** After the first slash. */
  readonly path?: string;
  readonly user?: string;
  readonly password?: string;
  /** A user without a password. Absent: it is the user. */
  readonly token?: string;
  /** A map of which each member is written `header.NAME=VALUE`. */
  readonly headers?: string;
}

/** Where a sink writes, beside its options. */
export interface Destination extends AddressSecrets, Omit<SinkContext, 'hide'> {
  /** In lower case. */
  readonly scheme: string;
  /** The address without secrets. */
  readonly shown: string;
  /** The names of the options that were given. */
  readonly given: ReadonlySet<string>;
  /** Creates the sink of another address. Absent: the options are those of code. */
  readonly open?: (address: string) => Sink;
}

/** What an address is read by. */
export type AddressEntry<Rows extends OptionRows = OptionRows> = Pick<
  SinkEntry<Rows>,
  'address' | 'options' | 'example'
>;

export const isServer = ({ address: { target } }: Pick<SinkEntry, 'address'>): boolean =>
  target === 'server' || target === 'bucket';

/** The options that are written `NAME=VALUE` in an address, by the names they have there. */
export function writtenOptions({ options, address }: Omit<AddressEntry, 'example'>): OptionRows {
  const { headers, ...parts } = address.parts ?? {};
  const others = new Set(Object.values(parts));
  if (address.tlsScheme !== undefined) others.add('tls');
  const rows = Object.entries(options).filter(([name]) => !others.has(name));
  return Object.fromEntries(rows.map(([name, row]) => [name === headers ? 'header.NAME' : name, row]));
}

/** Its guarantee, in words. */
export const guaranteeText = (entry: SinkEntry): string => byRecovery(entry, (recovery) => guaranteeOf({ recovery }));

/** How an interrupted run resumes into it, in words. */
export const resumeText = (entry: SinkEntry): string => byRecovery(entry, (recovery) => resumes[recovery]);

const resumes: Readonly<Record<Recovery, string>> = {
  cut: 'what was written after the last page that counts is cut off',
  transaction: 'the position after the last page is stored with its items',
  ids: 'items of the interrupted page may be sent again, with the same ids if they are the same',
  none: 'items of the interrupted page may arrive twice',
};

function byRecovery({ recovery }: SinkEntry, textOf: (recovery: Recovery) => string): string {
  if (typeof recovery === 'string') return textOf(recovery);
  return `${textOf(recovery.usual)}; with \`${recovery.option}\` ${textOf(recovery.withOption)}`;
}

/** The same rows with words before each summary, such as the condition under which they count. */
export function under<const Rows extends OptionRows>(condition: string, rows: Rows): Rows {
  const entries = Object.entries(rows).map(([name, row]): readonly [string, OptionRow] => [
    name,
    { ...row, summary: `${condition}: ${row.summary}` },
  ]);
  return Object.fromEntries(entries) as unknown as Rows; // the same names and kinds
}
