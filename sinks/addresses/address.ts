/** The address of a sink on the command line: scheme, target, options, and variables of the environment. */

import type { ExtractError } from '../../src/core/errors/errors.js';
import type { OptionRow, OptionRows } from '../../src/core/options/kind.js';
import { decode, rawEncode } from '../../src/core/url/percent.js';
import { usageError } from '../../src/core/util/check-value.js';
import { missingVariable } from '../../src/core/util/missing-variable.js';
import { didYouMean } from '../../src/core/util/suggest.js';
import { type AddressSecrets, createAddressSecrets, isPem } from './address-secrets.js';

/** The environment of `${NAME}` in an address. */
export type SinkEnvironment = Readonly<Record<string, string | undefined>>;

/** A parsed address. Its parts are still percent-encoded, because templates are read before they are decoded. */
export interface SinkAddress extends AddressSecrets {
  /** In lower case. */
  readonly scheme: string;
  /** Between the first colon and the options; variables are filled in. */
  readonly target: string;
  /** The texts of options, by name. */
  readonly options: ReadonlyMap<string, string>;
  /** The address without user information, values of headers and texts of keys: for messages and the summary. */
  readonly shown: string;
}

/** Where an address is read. */
export interface AddressContext {
  /** The variables for `${NAME}`. Absent: there are none. */
  readonly env?: SinkEnvironment | undefined;
  /** Gets each secret of the address as soon as it is known. */
  readonly hide?: ((secret: string) => void) | undefined;
}

interface AddressRules {
  /** By name; `header.NAME` is any name that begins with `header.`. */
  readonly options: OptionRows;
  /** Options follow this character: `?`, or `#` for addresses whose `?` is a part of the target. */
  readonly optionsAfter: '?' | '#';
  /** The part after the colon is `//user:password@host...`. */
  readonly isServer: boolean;
  /** A user without a password is a name, and no key that is secret. */
  readonly userIsName?: boolean;
}

/** The scheme of an address, in lower case; undefined: there is no colon. */
export function schemeOf(uri: string): string | undefined {
  const colon = uri.indexOf(':');
  return colon < 0 ? undefined : uri.slice(0, colon).toLowerCase();
}

/**
 * Parses an address by the rules of its sink. `${NAME}` in user information and in headers is replaced by the variable,
 * percent-encoded. Throws ERR_USAGE for an unknown option, with the nearest name, and for a missing variable.
 */
export function parseAddress(uri: string, rules: AddressRules, { env, hide }: AddressContext = {}): SinkAddress {
  const scheme = schemeOf(uri) ?? uri;
  if (rules.isServer) mustBeEncoded(scheme, uri.slice(scheme.length + 1));
  const { target: raw, given } = split(uri, rules.optionsAfter);
  const written = rules.isServer ? userInformation(raw) : undefined;
  const known = createAddressSecrets(hide);
  const filling = { scheme, env };
  const userinfo = written === undefined ? undefined : fillVariables(written, filling);
  const inHeader = { ...filling, onValue: known.hide };
  const entries = given.map(
    ([name, value]) => [name, isHeader(name) ? fillVariables(value, inHeader) : value] as const,
  );
  // Its secrets are known before anything about it is reported.
  for (const each of secretsIn(userinfo, rules.userIsName ?? false)) known.hide(each);
  for (const [name, value] of entries) for (const each of secretsOf(name, value, rules)) known.hide(each);
  mustBeKnown(scheme, entries, rules);
  const before = written === undefined ? '//' : `//${written}@`;
  const rest = written === undefined ? raw : `//${raw.slice(before.length)}`;
  const address = {
    ...known,
    scheme,
    target: userinfo === undefined ? raw : `//${userinfo}@${rest.slice(2)}`,
    options: new Map(entries),
    shown: shownAddress(scheme, { hasUser: written !== undefined, rest, entries }, rules),
  };
  if (rules.isServer) mustNotHaveVariables(address);
  return address;
}

/** Whether the address contains a literal password, or a literal value of a header that holds credentials. */
export function hasLiteralSecret(uri: string): boolean {
  const { target, given } = split(uri, /^https?:/i.test(uri) ? '#' : '?');
  const userinfo = userInformation(target) ?? '';
  const colon = userinfo.indexOf(':');
  if (colon >= 0 && withoutVariables(userinfo.slice(colon + 1)) !== '') return true;
  return given.some(([name, value]) => isKey(name, value) || (isCredential(name) && withoutVariables(value) === value));
}

/** Decodes percent-encoding; `+` stays. */
export const decodeText = (text: string): string => decode(text.replaceAll('+', '%2B'));

const isCredential = (name: string): boolean => /^header\..*(?:auth|key|token|secret|cookie|password)/i.test(name);
/** The text of a private key in place of its file, or a token. */
const isKey = (name: string, value: string): boolean =>
  (name === 'certkey' && isPem(value)) || (name === 'sessionToken' && value !== '');
const variable = /\$\{([^}]*)\}/g;
const withoutVariables = (text: string): string => text.replace(variable, '');
const isHeader = (name: string): boolean => name.startsWith('header.');

/** The row of an option as it is written: `header.X-Key` is of `header.NAME`. */
const rowOf = (name: string, { options }: Pick<AddressRules, 'options'>): OptionRow | undefined =>
  Object.hasOwn(options, name) ? options[name] : isHeader(name) ? options['header.NAME'] : undefined;

/** The secrets in the text of an option. */
const secretsOf = (name: string, value: unknown, rules: Pick<AddressRules, 'options'>): readonly string[] =>
  rowOf(name, rules)?.kind.secretsIn?.(typeof value === 'string' ? decodeText(value) : value) ?? [];

/** Options by name, as texts of an address or as values of code. */
export type OptionPairs<Value = unknown> = readonly (readonly [name: string, value: Value])[];

function split(uri: string, optionsAfter: '?' | '#'): { readonly target: string; readonly given: OptionPairs<string> } {
  const rest = uri.slice(uri.indexOf(':') + 1);
  // A password may contain the character.
  const from = 2 + (userInformation(rest)?.length ?? -2);
  const at = rest.indexOf(optionsAfter, from);
  if (at < 0) return { target: rest, given: [] };
  const pairs = rest.slice(at + 1).split('&');
  const given = pairs.flatMap((pair) => {
    if (pair === '') return [];
    const equals = pair.indexOf('=');
    return [equals < 0 ? ([decodeText(pair), ''] as const) : optionOf(pair, equals)];
  });
  return { target: rest.slice(0, at), given };
}

const optionOf = (pair: string, equals: number) => [decodeText(pair.slice(0, equals)), pair.slice(equals + 1)] as const;

/** The part of `//user:password@host` before the `@`. */
export const userInformation = (target: string): string | undefined =>
  /^\/\/((?:\$\{[^}]*\}|[^/?#@\s])*)@/.exec(target)?.[1];

/**
 * Throws ERR_USAGE if a password has a character that ends the user information, the host or the path: a message about
 * one of these would show the rest of the password.
 */
export function mustBeEncoded(scheme: string, target: string): void {
  const plain = target.replace(variable, 'x');
  const [, authority = '', after = ''] = /^\/\/(?:[^/?#@\s]*@)?([^/?#]*)(.*)$/s.exec(plain) ?? [];
  if (!authority.includes('@') && (!after.includes('@') || hosts.test(authority))) return;
  throw usageError(`${scheme}: percent-encode "/", "?", "#", "@" and blanks in the user information, before the "@"`);
}

/** `HOST:PORT`, several with commas. */
const hosts = /^(?:\[[^\]]*\]|[^:,]*)(?::\d*)?(?:,(?:\[[^\]]*\]|[^:,]*)(?::\d*)?)*$/;

interface Filling {
  readonly scheme: string;
  readonly env: SinkEnvironment | undefined;
  readonly onValue?: (value: string) => void;
}

/** A text that may be an address, for messages. */
export const withoutUserInformation = (text: string): string => text.replace(/\/\/.*@/s, '//***@');

function fillVariables(text: string, { scheme, env = {}, onValue }: Filling): string {
  return text.replace(variable, (_, name: string) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value === undefined) throw usageError(`${scheme}: ${missingVariable(name, env)}`);
    onValue?.(value);
    return rawEncode(value);
  });
}

/** A name for messages: what follows a colon or a blank may be the value of a header, such as a secret. */
const shownName = (name: string): string => name.replace(/[:\s].*/s, '');

/** Throws ERR_USAGE for an option that is unknown, given twice, empty or missing. */
export function mustBeKnown(scheme: string, given: OptionPairs, rules: Pick<AddressRules, 'options'>): void {
  const names = Object.keys(rules.options);
  const seen = new Set<string>();
  for (const [name, value] of given) {
    const shown = shownName(name);
    if (seen.has(name)) throw usageError(`${scheme}: the option "${shown}" is given twice`);
    seen.add(name);
    const isKnown = rowOf(name, rules) !== undefined && name !== 'header.';
    if (!isKnown) throw unknownOption(scheme, shown, names);
    if (value === '') throw usageError(`${scheme}: the option "${shown}" needs a value, as in ${shown}=...`);
  }
  for (const name of names) {
    if (rules.options[name]?.required === true && !seen.has(name))
      throw usageError(`${scheme}: needs the option ${name}=...`);
  }
}

function unknownOption(scheme: string, name: string, names: readonly string[]): ExtractError {
  const known = names.length === 0 ? 'it has no options' : `expected ${names.join(', ')}`;
  const literal = scheme === 'ndjson' ? '; a "?" of the folder\'s name is written %3F' : '';
  const elsewhere =
    name === 'foreignKeys' ? '; only tables of postgres: can defer foreign keys to the end of a run' : '';
  return usageError(`${scheme}: unknown option "${name}": ${known}${didYouMean(name, names)}${literal}${elsewhere}`);
}

/** A variable in another place would be sent as it is written. */
function mustNotHaveVariables({ scheme, target, options }: SinkAddress): void {
  if ([target, ...options.values()].every((part) => withoutVariables(part) === part)) return;
  throw usageError(`${scheme}: a variable is allowed only in its user information, before the "@", and in headers`);
}

/** What of an address is shown. */
interface ShownParts {
  readonly hasUser: boolean;
  /** All between the first colon and the options, without user information. */
  readonly rest: string;
  /** Values as they are written. */
  readonly entries: OptionPairs;
}

/** The address without user information, secrets and texts of certificates, which are too long. */
export function shownAddress(
  scheme: string,
  { hasUser, rest, entries }: ShownParts,
  rules: Pick<AddressRules, 'options' | 'optionsAfter'>,
): string {
  const target = hasUser ? `//***@${rest.slice(2)}` : rest;
  const pairs = entries.map(([name, value]) => {
    const isText = typeof value === 'string';
    if (isText && isPem(value)) return `${name}=PEM`;
    return `${name}=${secretsOf(name, value, rules).length > 0 ? '***' : value}`;
  });
  return `${scheme}:${target}${pairs.length === 0 ? '' : `${rules.optionsAfter}${pairs.join('&')}`}`;
}

/** A user with a password is a name and not secret; a user alone is a key, unless the sink has no keys. */
function secretsIn(userinfo: string | undefined, userIsName: boolean): readonly string[] {
  if (userinfo === undefined) return [];
  const colon = userinfo.indexOf(':');
  if (colon < 0 && userIsName) return [];
  const secret = colon < 0 ? userinfo : userinfo.slice(colon + 1);
  const pair = Buffer.from(decodeText(userinfo)).toString('base64');
  return [secret, decodeText(secret), pair].filter((each) => each !== '');
}
