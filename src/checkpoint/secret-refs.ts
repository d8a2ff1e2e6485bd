/**
 * Seals values for the journal: a reference to its origin replaces each secret, and a resume fills in the current
 * value.
 */

import { type Exact, type ExactObject, isArray, isNumber, isObject } from '../core/json/exact.js';
import type { Secrets } from '../core/model/secrets.js';
import { decode, encodePath, encodeQueryText, formEncode, rawEncode } from '../core/url/percent.js';
import { queryEntries } from '../core/url/query-string.js';
import { combineList } from '../core/util/defined.js';
import { elementAt } from '../core/util/element-at.js';

/** A secret that a later run has under the same name. */
export interface NamedSecret {
  readonly name: string;
  readonly value: string;
}

export interface SecretReferences {
  /** Replaces secrets by references. Undefined: the value contains a secret that no later run can fill in. */
  seal(value: Exact): Exact | undefined;
  /** Fills in the secrets. Throws if one of them no longer exists. */
  unseal(sealed: Exact): Exact;
  /** Adds the secrets of one job. */
  with(more: readonly NamedSecret[]): SecretReferences;
}

const writings: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  form: formEncode,
  raw: rawEncode,
  query: encodeQueryText,
  path: encodePath,
};

/** Keys of the objects that replace a text with references, and an object that only looks like one. */
const piecesKey = '$text';
const objectKey = '$object';

interface Form {
  readonly name: string;
  readonly writing: string;
  readonly text: string;
  /** The secret before its encoding. */
  readonly value: string;
}

/** A shorter secret counts only as a whole text, or as the whole value of a parameter in a query. */
const shortest = 4;

/** Makes references to the known secrets. */
export function createSecretReferences(
  secrets: Pick<Secrets, 'isSecret' | 'mask'>,
  named: readonly NamedSecret[],
): SecretReferences {
  return referencesOver(
    secrets,
    named,
    once(() => named.flatMap(formsOf)),
  );
}

/** `forms`: computed for the first text with a secret, and shared by the references of all jobs. */
function referencesOver(
  secrets: Pick<Secrets, 'isSecret' | 'mask'>,
  named: readonly NamedSecret[],
  forms: () => readonly Form[],
): SecretReferences {
  const values = new Map(named.map(({ name, value }) => [name, value]));
  const isOpen = (text: string) => shows(text, secrets);
  const sealText = (text: string): Exact | undefined => {
    if (!isOpen(text)) return text;
    const pieces = piecesOf(text, forms());
    if (pieces.some((piece) => typeof piece === 'string' && isOpen(piece))) return undefined;
    return new Map([[piecesKey, pieces]]);
  };
  const seal = (value: Exact): Exact | undefined => {
    if (typeof value === 'string') return sealText(value);
    if (isNumber(value)) return isOpen(value.text) ? undefined : value;
    if (isArray(value)) return combineList(value.map(seal));
    if (!isObject(value)) return value;
    const members = combineList([...value.values()].map(seal));
    if (members === undefined || [...value.keys()].some(isOpen)) return undefined;
    const sealed: ExactObject = new Map([...value.keys()].map((key, index) => [key, elementAt(members, index)]));
    return value.has(piecesKey) || value.has(objectKey) ? new Map([[objectKey, sealed]]) : sealed;
  };
  const join = (pieces: readonly Exact[]): string =>
    pieces.map((piece) => (isArray(piece) ? refilled(String(piece[0]), String(piece[1])) : String(piece))).join('');
  const refilled = (name: string, writing: string): string => {
    const [value, write] = [values.get(name), writings[writing]];
    if (value === undefined || write === undefined) throw new Error(`the secret "${name}" no longer exists`);
    return write(value);
  };
  const members = (object: ExactObject): ExactObject => new Map([...object].map(([key, each]) => [key, unseal(each)]));
  const unseal = (value: Exact): Exact => {
    if (isArray(value)) return value.map(unseal);
    if (!isObject(value)) return value;
    const [pieces, inner] = [value.get(piecesKey), value.get(objectKey)];
    if (isArray(pieces)) return join(pieces);
    return members(isObject(inner) ? inner : value);
  };

  const withMore = (more: readonly NamedSecret[]) =>
    referencesOver(
      secrets,
      [...named, ...more],
      once(() => [...forms(), ...more.flatMap(formsOf)]),
    );
  const references: SecretReferences = {
    seal,
    unseal,
    with: (more) => (more.length === 0 ? references : withMore(more)),
  };
  return references;
}

/** Text that is the same decoded, and has no parameters. */
const plainText = /^[\w.\-:/ ]*$/;

/** Whether the text contains a secret. */
function shows(text: string, { isSecret, mask }: Pick<Secrets, 'isSecret' | 'mask'>): boolean {
  const wholes = plainText.test(text) ? [text] : [text, decode(text), ...queryValues(text)];
  return wholes.some((each) => isSecret(each) && !isNumeral(each)) || mask(text) !== text;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A number as short as this matches by chance: `limit=10` does not contain a secret `10`. */
const isNumeral = (text: string): boolean => text.length < shortest && /^[+-]?\d*\.?\d*$/.test(text);

/** The decoded values in the query of a URL, or in a part of one. */
const queryValues = (text: string): readonly string[] =>
  queryEntries(text.includes('?') ? text : `?${text}`).flatMap(({ value }) => (value === undefined ? [] : [value]));

function formsOf({ name, value }: NamedSecret): readonly Form[] {
  if (isNumeral(value)) return [];
  const forms = Object.entries(writings).map(([writing, write]) => ({ name, writing, text: write(value), value }));
  return forms.filter(({ text }, index) => text !== '' && forms.findIndex((each) => each.text === text) === index);
}

/**
 * Splits the text into plain pieces, and name and encoding of each secret. The earliest secret is replaced first; of
 * two at one place, the longer one.
 */
function piecesOf(text: string, forms: readonly Form[]): readonly Exact[] {
  const pieces: Exact[] = [];
  let from = 0;
  for (;;) {
    const found = forms.map((form) => ({ form, at: placeOf(form, text, from) })).filter(({ at }) => at >= 0);
    const first = Math.min(...found.map(({ at }) => at));
    const [next] = found.filter(({ at }) => at === first).sort((a, b) => b.form.text.length - a.form.text.length);
    if (next === undefined) break;
    if (first > from) pieces.push(text.slice(from, first));
    pieces.push([next.form.name, next.form.writing]);
    from = first + next.form.text.length;
  }
  return from === text.length ? pieces : [...pieces, text.slice(from)];
}

/** Finds the form at or after `from`, a short secret only as a whole value. -1: not found. */
function placeOf({ text: form, value }: Form, text: string, from: number): number {
  if (value.length >= shortest || text === form) return text.indexOf(form, from);
  for (let at = text.indexOf(`=${form}`, from); at >= 0; at = text.indexOf(`=${form}`, at + 1)) {
    const after = text[at + 1 + form.length];
    if (after === undefined || after === '&' || after === '#') return at + 1;
  }
  return -1;
}
