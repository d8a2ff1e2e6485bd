/** The address of a sink that is created in code: its function and its address share one reader of settings. */

import { rawEncode } from '../../src/core/url/percent.js';
import { usageError } from '../../src/core/util/check-value.js';
import {
  type AddressOptions,
  assemble,
  mustBeEncoded,
  mustBeKnown,
  type SinkAddress,
  userInformation,
} from './address.js';

/** The credentials of a server. */
export interface ServerUser {
  readonly user?: string | undefined;
  /** Masked in all messages. */
  readonly password?: string | undefined;
}

/** The server and the target of a sink in code. */
export interface AddressTarget extends ServerUser {
  /** `HOST:PORT`, or a list of them. */
  readonly hosts: string | readonly string[];
  /** After the first slash. A name with placeholders stays as it is: `%7B` is a brace, as in an address. */
  readonly path?: string | undefined;
  /** A secret instead of user and password. Masked in all messages. */
  readonly token?: string | undefined;
}

/** The options of an address, as values of code. */
export type OptionValues = Readonly<Record<string, unknown>>;

interface OptionRules {
  readonly options: AddressOptions;
  /** Default: `?`. */
  readonly optionsAfter?: '#';
  /** Names of options that have placeholders: their values stay as they are. */
  readonly templates?: readonly string[];
  /** Names that the function has besides the options, for the hint of a misspelt one. */
  readonly more: readonly string[];
}

/**
 * Turns the options of a function such as `nats({ ... })` into an address. Throws ERR_USAGE for an option that is
 * unknown, missing, or neither a text, a number nor a boolean.
 */
export function addressOf(
  scheme: string,
  target: AddressTarget,
  values: OptionValues,
  rules: OptionRules,
): SinkAddress {
  const { hosts, path, token, user, password } = target;
  const names = { hosts: String(hosts), path, token, user, password };
  for (const [name, value] of Object.entries(names)) mustBeText(scheme, name, value);
  const credentials = token === undefined ? userInformationOf({ user, password }) : rawEncode(token);
  const before = credentials === undefined ? '' : `${credentials}@`;
  const after = path === undefined ? '' : `/${path}`;
  return addressWith(scheme, `//${before}${names.hosts}${after}`, values, rules);
}

/** As `addressOf`, for a target that is written as in an address: `//user:password@host/path`. */
export function addressWith(scheme: string, raw: string, values: OptionValues, rules: OptionRules): SinkAddress {
  const { templates = [], more, options, optionsAfter = '?' as const } = rules;
  mustBeEncoded(scheme, raw);
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const entries = given.map(([name, value]) => {
    const text = textOf(scheme, name, value);
    return [name, templates.includes(name) ? text : rawEncode(text)] as const;
  });
  mustBeKnown(scheme, entries, { options }, more);
  const userinfo = userInformation(raw);
  return assemble({ scheme, raw, written: userinfo, userinfo, optionsAfter, entries });
}

/** `user:password`, percent-encoded; undefined: there is neither. */
export function userInformationOf({ user, password }: ServerUser): string | undefined {
  if (user === undefined && password === undefined) return undefined;
  return `${rawEncode(user ?? '')}:${rawEncode(password ?? '')}`;
}

function mustBeText(scheme: string, name: string, value: unknown): void {
  if (value === undefined || typeof value === 'string') return;
  throw usageError(`${scheme}: ${name}: expected a text, found ${kindOf(value)}`);
}

function textOf(scheme: string, name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw usageError(`${scheme}: ${name}: expected a text, a number or a boolean, found ${kindOf(value)}`);
}

const kindOf = (value: unknown): string => (value === null ? 'null' : `a value of type ${typeof value}`);
