/** The options of a sink, from an address or from code: the same values, defaults included. */
import type { OptionRows, OptionsOf } from '../../src/core/options/kind.js';
import { type OptionResult, type OptionSource, readOptions } from '../../src/core/options/read-options.js';
import { rawEncode } from '../../src/core/url/percent.js';
import { usageError } from '../../src/core/util/check-value.js';
import type { Sink } from '../contract.js';
import {
  type AddressEntry,
  type Destination,
  isServer,
  type SinkContext,
  type SinkEntry,
  writtenOptions,
} from '../entry.js';
import {
  decodeText,
  mustBeKnown,
  type OptionPairs,
  parseAddress,
  type SinkAddress,
  shownAddress,
  userInformation,
} from './address.js';
import { type AddressSecrets, createAddressSecrets, isPem, sinkFrom } from './address-secrets.js';

/** What a sink is created of. */
export interface SinkOptions<Rows extends OptionRows> {
  readonly options: OptionsOf<Rows>;
  readonly destination: Destination;
}

/** Reads an address by the description of its sink. Throws ERR_USAGE, without a secret in its message. */
export function readAddress<Rows extends OptionRows>(
  uri: string,
  entry: AddressEntry<Rows>,
  context: SinkContext,
): SinkOptions<Rows> {
  const { optionsAfter = '?' as const, userIsName = false } = entry.address;
  const rules = { options: writtenOptions(entry), optionsAfter, userIsName, isServer: isServer(entry) };
  const address = parseAddress(uri, rules, context);
  const given = [...partsOf(address, entry), ...optionsIn(address, entry)];
  const { scheme, shown, secrets, hide, excerpt } = address;
  return readGiven(entry, given, 'text', { ...context, scheme, shown, secrets, hide, excerpt });
}

/** Creates the sink of a function such as `nats({ ... })`. Throws ERR_USAGE for wrong options. */
export function sinkInCode<Rows extends OptionRows>(
  name: string,
  entry: SinkEntry<Rows>,
  values: object,
  context: SinkContext = {},
): Sink {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  mustBeKnown(name, given, entry);
  const known = createAddressSecrets(context.hide);
  hideSecrets(given, entry, known);
  const { tlsScheme } = entry.address;
  const scheme = tlsScheme !== undefined && new Map(given).get('tls') === true ? tlsScheme : name;
  const shown = shownInCode(scheme, entry, new Map(given));
  const { options, destination } = readGiven(entry, given, 'code', { ...context, ...known, scheme, shown });
  return sinkFrom(destination, () => entry.create(options, destination));
}

/** Reads the options of a function. Throws ERR_USAGE. */
export function optionsInCode<const Rows extends OptionRows>(
  name: string,
  rows: Rows,
  values: object,
): OptionsOf<Rows> {
  return mustBeRight(name, readOptions(rows, Object.entries(values), 'code'));
}

function readGiven<Rows extends OptionRows>(
  entry: AddressEntry<Rows>,
  given: OptionPairs,
  source: OptionSource,
  at: Omit<Destination, 'given'>,
): SinkOptions<Rows> {
  const names = new Set(given.map(([name]) => name));
  const parts = Object.values(entry.address.parts ?? {});
  for (const [name, { required, summary }] of Object.entries(entry.options)) {
    if (required !== true || names.has(name) || !parts.includes(name)) continue;
    throw usageError(`${at.scheme}: expected ${summary}, as in ${entry.example}`);
  }
  const options = mustBeRight(at.scheme, readOptions(entry.options, given, source));
  return { options, destination: { ...at, given: names } };
}

function mustBeRight<Rows extends OptionRows>(scheme: string, result: OptionResult<Rows>): OptionsOf<Rows> {
  if (result.problems === undefined) return result.options;
  const { problems } = result;
  throw usageError(`${scheme}: ${problems.map(({ name, message }) => `${name}: ${message}`).join('; ')}`);
}

/** The options that are parts of the address. */
function partsOf({ scheme, target, shown }: SinkAddress, { address, options: rows }: AddressEntry): OptionPairs {
  const parts = address.parts ?? {};
  if (parts.target !== undefined) return [[parts.target, withoutEscapes(target)]];
  if (!isServer({ address })) return [];
  const userinfo = userInformation(target);
  const rest = userinfo === undefined ? target : `//${target.slice(userinfo.length + 3)}`;
  const [, hosts, path = ''] = /^\/\/([^/?@\s]+)(?:\/(.*)|\?.*)?$/s.exec(rest) ?? [];
  if (hosts === undefined) throw usageError(`${scheme}: expected ${address.form}, found "${shown}"`);
  const all: OptionPairs<string | true | undefined> = [
    [parts.url ?? '', `${scheme}:${rest}`],
    [parts.hosts ?? '', hosts],
    [parts.path ?? '', path],
    ...credentialsIn(userinfo, parts),
    ['tls', scheme === address.tlsScheme ? true : undefined],
  ];
  return all.flatMap(([name, text]) => {
    if (name === '' || text === '' || text === undefined) return [];
    const isWhole = text === true || name === parts.url || rows[name]?.kind.text?.isEncoded !== undefined;
    return [[name, isWhole ? text : decodeText(text)] as const];
  });
}

function credentialsIn(
  userinfo: string | undefined,
  { user = '', password = '', token = user }: NonNullable<SinkEntry['address']['parts']>,
): OptionPairs<string> {
  if (userinfo === undefined) return [];
  const colon = userinfo.indexOf(':');
  if (colon < 0) return [[token, userinfo]];
  return [
    [user, userinfo.slice(0, colon)],
    [password, userinfo.slice(colon + 1)],
  ];
}

/** In the name of a file or directory `%3F` is a question mark and `%25` a percent sign; all else is literal. */
const withoutEscapes = (target: string): string =>
  target.replace(/%(3f|25)/gi, (_, digits: string) => (digits === '25' ? '%' : '?'));

/** The options that are written `NAME=VALUE`. */
function optionsIn({ options: texts }: SinkAddress, { options, address }: AddressEntry): OptionPairs {
  const { headers } = address.parts ?? {};
  const isOfHeader = (name: string) => headers !== undefined && name.startsWith('header.');
  const all = [...texts].map(([name, text]): readonly [string, string] => {
    const isEncoded = options[name]?.kind.text?.isEncoded !== undefined;
    return [name, isEncoded ? text : decodeText(text)];
  });
  const members = all.filter(([name]) => isOfHeader(name)).map(([name, text]) => [name.slice('header.'.length), text]);
  const plain = all.filter(([name]) => !isOfHeader(name));
  return members.length === 0 ? plain : [...plain, [headers ?? '', Object.fromEntries(members)]];
}

/** Hides the secrets of the values, and user and password as they are sent together. */
function hideSecrets(
  given: OptionPairs,
  { options, address }: SinkEntry,
  { hide }: Pick<AddressSecrets, 'hide'>,
): void {
  for (const [name, value] of given) for (const each of options[name]?.kind.secretsIn?.(value) ?? []) hide(each);
  const values = new Map(given);
  const [user, password] = [address.parts?.user, address.parts?.password].map((name) => values.get(name ?? ''));
  if (typeof password === 'string') hide(Buffer.from(`${user ?? ''}:${password}`).toString('base64'));
}

/** The address that has these options, without secrets. */
function shownInCode(scheme: string, entry: SinkEntry, values: ReadonlyMap<string, unknown>): string {
  const { parts = {}, optionsAfter = '?' } = entry.address;
  const at = (name: string | undefined) => (name === undefined ? undefined : values.get(name));
  const written = (name: string, value: unknown) => {
    const isEncoded = entry.options[name]?.kind.text?.isEncoded;
    if (isEncoded === 'in code too') return String(value);
    const isPath = name === parts.path && isEncoded === undefined;
    return isPath ? String(value).split('/').map(rawEncode).join('/') : rawEncode(String(value));
  };
  const path = at(parts.path);
  const url = /^[^:]*:(.*)$/s.exec(String(at(parts.url) ?? ''))?.[1];
  const rest = url ?? `//${at(parts.hosts)}${path === undefined ? '' : `/${written(parts.path ?? '', path)}`}`;
  const hasUser = [parts.user, parts.password, parts.token].some((name) => at(name) !== undefined);
  const rows = writtenOptions(entry);
  const headers = Object.entries(at(parts.headers) ?? {}).map(([name, value]) => [`header.${name}`, value] as const);
  const others = [...values].filter(([name]) => Object.hasOwn(rows, name));
  const entries = [
    ...others.map(
      ([name, value]) => [name, typeof value === 'string' && isPem(value) ? value : written(name, value)] as const,
    ),
    ...headers,
  ];
  return shownAddress(scheme, { hasUser, rest, entries }, { options: rows, optionsAfter });
}
