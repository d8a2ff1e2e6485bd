/** The keys of `response`, of a job and of `api`: how a body is read. docs/14-any-response.md. */
import { type Exact, type ExactObject, isObject } from '../core/json/exact.js';
import {
  decodeSteps,
  encodingNames,
  formatNames,
  namespaceModes,
  type ResponseFormat,
  type ResponseFormatName,
  usualQuote,
} from '../core/model/response-format.js';
import { kind, type OptionRows, type OptionsOf } from '../core/options/kind.js';
import { nonEmptyText, text, word } from '../core/options/kinds.js';
import { listOf, objectOf } from '../core/options/object-kinds.js';
import type { ConfigPath } from '../language/config-path.js';
import { asPart, boolean, nonEmptyStringOrPath } from '../language/kinds.js';
import { describeMismatch, isPhpEmpty, readObject } from '../language/read.js';

/** One ASCII character that ends no line. */
function isOneCharacter(value: unknown): value is string {
  const code = typeof value === 'string' && value.length === 1 ? value.charCodeAt(0) : 0;
  return code > 0 && code < 0x80 && code !== 0x0a && code !== 0x0d;
}

const delimiter = kind<string>('one ASCII character, such as ";" or "\\t"', isOneCharacter, {
  schema: { type: 'string', pattern: '^[\\u0001-\\u0009\\u000b\\u000c\\u000e-\\u007f]$' },
});

const quote = kind<string>(
  'one ASCII character, or an empty string',
  (value) => value === '' || isOneCharacter(value),
  {
    schema: { type: 'string', pattern: '^[\\u0001-\\u0009\\u000b\\u000c\\u000e-\\u007f]?$' },
  },
);

export const responseFields = {
  format: {
    kind: word(...formatNames),
    otherwise: 'guessed from `Content-Type` and the first byte',
    summary:
      'what a body is: one JSON document, lines of JSON, a CSV file, an XML document, or one item of text or bytes',
  },
  decode: {
    kind: listOf(word(...decodeSteps), 'steps'),
    default: [],
    summary: 'what is undone before a body is read, in this order: base64, gzip, a ZIP archive, brotli',
  },
  members: {
    kind: listOf(nonEmptyText, 'patterns'),
    otherwise: 'the only file; several are an error',
    summary: 'the files of a ZIP archive that are read: patterns of their names, such as `*.csv`',
  },
  parse: {
    kind: listOf(nonEmptyStringOrPath, 'paths'),
    default: [],
    summary: 'paths of texts in the items that are JSON: each is replaced by its value',
  },
  columns: {
    kind: nonEmptyStringOrPath,
    otherwise: 'items stay as they are',
    summary: 'the path of a list of names in a JSON response whose items are arrays: each item becomes an object',
  },
  encoding: {
    kind: word(...encodingNames),
    otherwise: 'UTF-8, or UTF-16 by its byte-order mark',
    summary: 'the encoding of text',
  },
  header: { kind: boolean, default: true, summary: 'whether the first line of a CSV file names its columns' },
  names: {
    kind: listOf(text, 'strings'),
    otherwise: 'those in the header; without a header `column_1`, `column_2` and so on',
    summary: 'the names of the columns of a CSV file',
  },
  delimiter: { kind: delimiter, otherwise: 'a comma', summary: 'the character between the cells of a CSV file' },
  quote: {
    kind: quote,
    default: usualQuote,
    summary: 'the character around cells of a CSV file; empty: cells are never quoted',
  },
  element: {
    kind: nonEmptyStringOrPath,
    otherwise: 'required with `"format": "xml"`',
    summary: 'the elements of XML that are items: a path from the root, the root included, such as `feed.entry`',
  },
  namespaces: {
    kind: word(...namespaceModes),
    default: 'keep',
    summary: 'whether names of XML keep their prefixes (`soap:Body`), or drop them',
  },
} satisfies OptionRows;

/** The kind of `response`. */
export const responseKind = asPart('api.response', objectOf(responseFields));

type ResponseKey = keyof typeof responseFields;

/** The formats that a key is for; of the others it has no meaning. What is guessed may be JSON. */
const formatsOf: Partial<Readonly<Record<ResponseKey, readonly ResponseFormatName[]>>> = {
  columns: ['json'],
  encoding: ['csv', 'xml', 'text'],
  header: ['csv'],
  names: ['csv'],
  delimiter: ['csv'],
  quote: ['csv'],
  element: ['xml'],
  namespaces: ['xml'],
};

/** Returns `undefined` if it is absent, or if something does not fit, after reporting it to `place`. */
export function readResponse(place: ConfigPath, value: Exact = null): ResponseFormat | undefined {
  if (value === null) return undefined;
  if (!isObject(value)) {
    place.problem(describeMismatch('an object', value));
    return undefined;
  }
  const options = readObject(place, value, responseFields);
  if (options === undefined) return undefined;
  for (const key of value.keys()) checkKey(place, key, value, options);
  checkCsv(place, options);
  checkMembers(place, options);
  if (options.format === 'xml' && options.element === undefined) {
    place.at('element').problem('required: expected the path of the items from the root, such as "feed.entry"');
  }
  return options;
}

function checkKey(place: ConfigPath, key: string, value: ExactObject, { format }: ResponseOptions): void {
  const formats = new Map(Object.entries(formatsOf)).get(key);
  if (formats === undefined || value.get(key) === null || isAmong(formats, format)) return;
  const expected = formats.map((each) => `"format": "${each}"`).join(' or ');
  place.at(key).problem(`only allowed with ${expected}`);
}

const isAmong = (formats: readonly ResponseFormatName[], format: ResponseFormatName | undefined): boolean =>
  format === undefined ? formats.includes('json') : formats.includes(format);

type ResponseOptions = OptionsOf<typeof responseFields>;

function checkCsv(place: ConfigPath, { names, delimiter: between, quote: around }: ResponseOptions): void {
  if (between !== undefined && between === around) {
    place.at('delimiter').problem('the same character as `quote`: expected another one');
  }
  if (names === undefined) return;
  if (names.length === 0) place.at('names').problem('expected at least one name');
  const twice = names.findIndex((name, at) => names.indexOf(name) < at);
  if (twice >= 0) place.at('names', twice).problem('a name of another column: expected names that differ');
}

function checkMembers(place: ConfigPath, { members, decode }: ResponseOptions): void {
  if (members === undefined) return;
  if (!decode.includes('unzip')) place.at('members').problem('only allowed with "unzip" in `decode`');
  if (members.length === 0) place.at('members').problem('expected at least one pattern');
}

/** A `dataField` is a path in JSON: rows and texts have none. */
export function noteUnusedDataField(place: ConfigPath, value: Exact | undefined, format?: ResponseFormatName): void {
  if (isPhpEmpty(value) || format === undefined || format === 'json' || format === 'lines') return;
  place.warn('data-field-not-used', `not used with "format": "${format}", which has no paths`);
}
