/** Values on their way into a state and back: in the place of a secret stands where it comes from, so that it is never written, and filled in again as it is then. */
import { type Exact, type ExactObject, isArray, isNumber, isObject } from '../exact.js';
import { decode, encodePath, encodeQueryText, formEncode, rawEncode } from '../request/percent.js';
import type { Secrets } from '../types.js';

/** A secret that a later run has again, under the same name. */
export interface NamedSecret {
  readonly name: string;
  readonly value: string;
}

export interface Vault {
  /** Undefined: there is a secret in it that no later run could fill in again. */
  seal(value: Exact): Exact | undefined;
  /** Throws where a name means nothing any more. */
  unseal(sealed: Exact): Exact;
  /** With more secrets, those of one job. */
  with(more: readonly NamedSecret[]): Vault;
}

const writings: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  form: formEncode,
  raw: rawEncode,
  query: encodeQueryText,
  path: encodePath,
};

/** What stands for a text that was made of pieces, and for an object that only looks so. */
const piecesKey = '$text';
const objectKey = '$object';

interface Form {
  readonly name: string;
  readonly writing: string;
  readonly text: string;
}

/** Makes a vault of what is known. */
export function createVault(secrets: Pick<Secrets, 'isSecret' | 'mask'>, named: readonly NamedSecret[]): Vault {
  const values = new Map(named.map(({ name, value }) => [name, value]));
  const forms = named.flatMap(formsOf).sort((a, b) => b.text.length - a.text.length);
  const shows = (text: string) => secrets.isSecret(text) || secrets.mask(text) !== text;
  // An address may have more characters encoded than any of its secrets is looked for with.
  const isOpen = (text: string) => shows(text) || (text.includes('%') && shows(decode(text)));

  const sealText = (text: string): Exact | undefined => {
    if (!isOpen(text)) return text;
    const pieces = piecesOf(text, forms);
    if (pieces.some((piece) => typeof piece === 'string' && isOpen(piece))) return undefined;
    return new Map([[piecesKey, pieces]]);
  };
  const seal = (value: Exact): Exact | undefined => {
    if (typeof value === 'string') return sealText(value);
    if (isNumber(value)) return isOpen(value.text) ? undefined : value;
    if (isArray(value)) return allOf(value.map(seal));
    if (!isObject(value)) return value;
    const members = allOf([...value.values()].map(seal));
    if (members === undefined || [...value.keys()].some(isOpen)) return undefined;
    const sealed: ExactObject = new Map([...value.keys()].map((key, index) => [key, members[index] ?? null]));
    return value.has(piecesKey) || value.has(objectKey) ? new Map([[objectKey, sealed]]) : sealed;
  };
  const join = (pieces: readonly Exact[]): string =>
    pieces.map((piece) => (isArray(piece) ? refilled(String(piece[0]), String(piece[1])) : String(piece))).join('');
  const refilled = (name: string, writing: string): string => {
    const [value, write] = [values.get(name), writings[writing]];
    if (value === undefined || write === undefined) throw new Error(`the secret "${name}" is there no more`);
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

  return { seal, unseal, with: (more) => createVault(secrets, [...named, ...more]) };
}

function formsOf({ name, value }: NamedSecret): readonly Form[] {
  const forms = Object.entries(writings).map(([writing, write]) => ({ name, writing, text: write(value) }));
  return forms.filter(({ text }, index) => text !== '' && forms.findIndex((each) => each.text === text) === index);
}

/** The text in order: what stands for itself, and the name and the writing of each secret. The earliest is taken out first, of two at one place the longer one. */
function piecesOf(text: string, forms: readonly Form[]): readonly Exact[] {
  const pieces: Exact[] = [];
  let rest = text;
  for (;;) {
    const found = forms.map((form) => ({ form, at: rest.indexOf(form.text) })).filter(({ at }) => at >= 0);
    const first = Math.min(...found.map(({ at }) => at));
    const next = found.find(({ at }) => at === first);
    if (next === undefined) break;
    if (first > 0) pieces.push(rest.slice(0, first));
    pieces.push([next.form.name, next.form.writing]);
    rest = rest.slice(first + next.form.text.length);
  }
  return rest === '' ? pieces : [...pieces, rest];
}

function allOf(values: readonly (Exact | undefined)[]): readonly Exact[] | undefined {
  const fit = values.filter((value) => value !== undefined);
  return fit.length === values.length ? fit : undefined;
}
