/** The kinds of values that only keys of a configuration have. Kinds of any option: core/options/kinds.ts. */
import { type Exact, type ExactObject, isNumber, isObject } from '../core/json/exact.js';
import type { Method } from '../core/model/request.js';
import { type JsonSchema, objectOrEmptyList } from '../core/options/json-schema.js';
import { type JsonForm, type Kind, type KindDetails, kind, refine } from '../core/options/kind.js';
import { nonEmptyText, text, word } from '../core/options/kinds.js';
import { isHttpUrl } from '../core/url/url.js';

/** A number counts as the string of its digits. */
export const stringOrNumber = kind<string>('a string', (value) => typeof value === 'string', {
  fromExact: textOf,
  schema: { type: ['string', 'number'] },
});

/** A number as the string of its digits; other values stay. */
export function textOf(value: unknown): unknown {
  return isNumber(value) ? value.text : value;
}

/** A name, or a path to a member: a list of names, outermost first. */
export const nonEmptyStringOrPath = orPath('a non-empty string', 1);

/** The same, for keys whose default is an empty text. */
export const stringOrPath = orPath('a string', 0);

function orPath(type: string, minLength: number): Kind<string | readonly string[]> {
  const isText = (value: unknown) => typeof value === 'string' && value.length >= minLength;
  const schema = { type: ['string', 'array'], minLength, minItems: 1, items: { type: 'string', minLength: 1 } };
  const either = kind<string | readonly string[]>(type, (value) => Array.isArray(value) || isText(value), { schema });
  const isPath = (value: string | readonly string[]) => value.length > 0 && [...value].every(isName);
  return refine(either, 'a path: a list of non-empty strings', (value) => isText(value) || isPath(value), schema);
}

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

const address = 'a path ("./a:b" if it begins with a name and a colon), or an http or https URL with a host';
const addressPattern = '^(?:[^:/?#{]*(?:[/?#{]|$)|[Hh][Tt][Tt][Pp][Ss]?:)';

/**
 * The address of a request: a path, or an absolute URL. Placeholders are not resolved yet. See
 * docs/01-configuration.md.
 */
export const endpoint = refine(nonEmptyText, address, isValidAddress, {
  type: 'string',
  minLength: 1,
  pattern: addressPattern,
});

/** The same, or an empty text: the base URL itself. */
export const endpointOrBase = refine(text, address, isValidAddress, { type: 'string', pattern: addressPattern });

function isValidAddress(text: string): boolean {
  const [known = ''] = text.split('{', 1);
  const scheme = /^([^:/?#]+):/.exec(known)?.[1];
  if (scheme !== undefined && !/^https?$/i.test(scheme)) return false;
  const isOpen = known.length < text.length && /^(?:[^:/?#]+:)?\/{0,2}[^/?#]*$/.test(known);
  const isWhole = scheme !== undefined || text.startsWith('//');
  return isOpen || !isWhole || isHttpUrl(scheme === undefined ? `http:${text}` : text);
}

/** Values that mean true and false; all others stay as they are. */
const booleanOf =
  (falses: readonly string[]) =>
  (value: unknown): unknown => {
    const word = textOf(value);
    if (word === '1' || word === 'true') return true;
    return falses.some((each) => each === word) ? false : value;
  };

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';

/**
 * true or false, or clear equivalents: 1, 0, `"1"`, `"0"`, `"true"`, an empty text. The text `"false"` is rejected:
 * Generic Extractor reads it as true, which is never meant.
 */
export const boolean = kind<boolean>('true or false', isBoolean, {
  fromExact: booleanOf(['0', '']),
  schema: { enum: [true, false, 1, 0, '1', '0', 'true', ''] },
});

/** true or false, or the texts and numbers that mean them. */
export const looseBoolean = kind<boolean>('true or false', isBoolean, {
  fromExact: booleanOf(['0', 'false', '']),
  schema: { enum: [true, false, 1, 0, '1', '0', 'true', 'false', ''] },
});

/** An object; its members are not checked. An empty list counts as an empty object, as in Generic Extractor. */
export const object = kind<ExactObject>('an object', isObject, {
  fromExact: (value) => (Array.isArray(value) && value.length === 0 ? new Map() : value),
  schema: objectOrEmptyList,
});

/** Any value, described by the given words; its reader checks the rest. */
export const opaque = (type: string, schema: JsonForm, details: Omit<KindDetails, 'schema'> = {}): Kind<Exact> =>
  kind<Exact>(type, (value) => value !== undefined, { schema, ...details });

/** The same for a part of the configuration with tables of its own, or another value that is described as one. */
export const partOf = (name: string, type: string): Kind<Exact> =>
  opaque(type, (write) => write.part(name), { part: name });

/** A list of parts, or an object of them by any name. */
export const listOfParts = (name: string, type: string, form: JsonSchema = {}): Kind<Exact> =>
  opaque(
    type,
    (write) => ({
      type: ['array', 'object'],
      ...form,
      items: write.part(name),
      additionalProperties: write.part(name),
    }),
    { each: partOf(name, 'an object') },
  );

/** The same kind, described as a part of the configuration. */
export const asPart = <T>(name: string, each: Kind<T>): Kind<T> => ({ ...each, schema: (write) => write.part(name) });

/** Any JSON value. */
export const anyValue = opaque('a value', () => ({}));

const methods: readonly Method[] = ['GET', 'POST', 'FORM', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

/** An HTTP method, case-insensitive. docs/12-compatibility.md#parameters. */
export const method = kind<Method>(word(...methods).struct.type, (value) => methods.some((each) => each === value), {
  fromExact: (value) => methods.find((each) => each === upper(value)) ?? value,
  // Editors offer these names.
  schema: { type: 'string', pattern: `^(${methods.map(inAnyCase).join('|')})$`, examples: methods },
});

function upper(value: unknown): unknown {
  return typeof value === 'string' ? value.toUpperCase() : value;
}

function inAnyCase(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);
}
