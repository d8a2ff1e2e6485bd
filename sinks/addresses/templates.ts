/** Names with `{dataType}`, `{job}` and `{item.PATH}`: the queue, subject or key of each item. */

import { ExtractError } from '../../src/core/errors/errors.js';
import { type Exact, ExactNumber, isObject } from '../../src/core/json/exact.js';
import type { Batch } from '../../src/core/model/batch.js';
import { usageError } from '../../src/core/util/check-value.js';
import { didYouMean } from '../../src/core/util/suggest.js';
import { decodeText } from './address.js';

/** A name for the items of a batch. */
export interface NameTemplate {
  /** As written, for messages. */
  readonly text: string;
  /** It has no placeholder: its name never changes. */
  readonly isConstant: boolean;
  /** It reads items: they are parsed. */
  readonly readsItems: boolean;
  /** The name with each placeholder replaced by this text, such as a wildcard. */
  pattern(placeholder: string): string;
  /** The name for all items of a batch. Only without `{item.PATH}`. */
  nameOf(batch: Named): string;
  /** The names of a data type, for the summary: `*` stands for the job. As written if it reads items. */
  summaryOf(dataType: string): string;
  /** The name of each item, or why it has none: it has no text, number or boolean at a path. */
  findNames(batch: Batch): readonly (string | NoName)[];
}

type Named = Pick<Batch, 'dataType' | 'job'>;

/** Why an item has no name, for a message. */
export interface NoName {
  readonly reason: string;
}

interface TemplateOptions {
  /** What the name is, for messages: `nats: the subject`. */
  readonly what: string;
  /** Encodes a value, so that it cannot end its part of the name. */
  readonly escape: (value: string) => string;
  /** The text between placeholders stays percent-encoded, as in a URL. */
  readonly keepsEncoding?: boolean;
  /** `{item.PATH}` is not allowed. */
  readonly withoutItems?: boolean;
}

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'dataType' | 'job' }
  | { readonly kind: 'item'; readonly path: readonly string[] };

/** Most different names in a run. */
export const mostTargets = 1000;

/**
 * Reads a name that is still percent-encoded: `%7B` is a literal brace. Throws ERR_USAGE for an unknown placeholder,
 * with the nearest.
 */
export function readTemplate(text: string, options: TemplateOptions): NameTemplate {
  const parts = partsOf(text, options);
  const encode = options.escape;
  const isConstant = parts.every(({ kind }) => kind === 'text');
  const fill = (textOf: (part: Exclude<Part, { kind: 'text' }>) => string) =>
    parts.map((part) => (part.kind === 'text' ? part.text : textOf(part))).join('');
  const encoded = ({ kind }: Part, batch: Named) => encode(kind === 'job' ? batch.job : batch.dataType);
  const plain = (batch: Named) => fill((part) => encoded(part, batch));
  const readsItems = parts.some(({ kind }) => kind === 'item');
  const written = options.keepsEncoding === true ? text : decodeText(text);
  return {
    text: written,
    isConstant,
    readsItems,
    pattern: (placeholder) => fill(() => placeholder),
    nameOf: plain,
    summaryOf: (dataType) => (readsItems ? written : fill(({ kind }) => (kind === 'job' ? '*' : encode(dataType)))),
    findNames,
  };

  function findNames(batch: Batch): readonly (string | NoName)[] {
    if (!readsItems) return new Array<string>(batch.count).fill(plain(batch));
    return batch.exact().map((item) => {
      const missing = parts.find((part) => part.kind === 'item' && valueAt(item, part.path) === undefined);
      if (missing?.kind === 'item') return noName(missing.path, options);
      return fill((part) => (part.kind === 'item' ? encode(valueAt(item, part.path) ?? '') : encoded(part, batch)));
    });
  }
}

function partsOf(
  text: string,
  { what, withoutItems = false, keepsEncoding = false }: TemplateOptions,
): readonly Part[] {
  const known = ['dataType', 'job', ...(withoutItems ? [] : ['item.PATH'])];
  const expected = known.map((name) => `{${name}}`).join(', ');
  return text.split(/(\{[^{}]*\})/).flatMap((piece): readonly Part[] => {
    if (piece === '') return [];
    const name = /^\{(.*)\}$/.exec(piece)?.[1];
    if (name === undefined) {
      if (/[{}]/.test(piece)) throw usageError(`${what}: a brace that is no placeholder is written %7B or %7D`);
      return [{ kind: 'text', text: keepsEncoding ? piece : decodeText(piece) }];
    }
    if (name === 'dataType' || name === 'job') return [{ kind: name }];
    const path = name.startsWith('item.') && !withoutItems ? name.slice(5).split('.') : [''];
    if (!path.includes('')) return [{ kind: 'item', path: path.map(decodeText) }];
    throw usageError(`${what}: unknown placeholder "${piece}": expected ${expected}${didYouMean(name, known)}`);
  });
}

/** The text of a value that names something; undefined for null, lists, objects, an empty text and nothing. */
function valueAt(item: Exact, path: readonly string[]): string | undefined {
  let value: Exact | undefined = item;
  for (const name of path) value = value !== undefined && isObject(value) ? value.get(name) : undefined;
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (value instanceof ExactNumber) return value.text;
  return typeof value === 'boolean' ? String(value) : undefined;
}

const noName = (path: readonly string[], { what }: TemplateOptions): NoName => ({
  reason: `has no text, number or boolean at "${path.join('.')}", which ${what.replace(/^.*?: /, '')} needs`,
});

/** Counts the different names of a run. */
export interface TargetCount {
  /** Returns true for a new name. Throws ERR_SINK beyond 1,000. */
  add(name: string): boolean;
}

/** Starts without a name. `what` is what they are, for the message. */
export function countTargets(what: string): TargetCount {
  const names = new Set<string>();
  return {
    add(name) {
      if (names.has(name)) return false;
      if (names.size === mostTargets) {
        throw new ExtractError('ERR_SINK', `${what} has more than ${mostTargets} different values in this run`, {
          remedy: 'Use a placeholder of --to with fewer different values, or none. What was sent stays.',
        });
      }
      names.add(name);
      return true;
    },
  };
}
