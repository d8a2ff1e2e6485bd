/** Parses a select: which members of items a sink gets, under which names. docs/07-sinks.md#select. */

import { ExtractError } from '../../src/core/errors/errors.js';
import { elementAt } from '../../src/core/util/element-at.js';

export type SelectEntry =
  | { readonly kind: 'all' }
  /** `as`: the new name; absent: the member keeps its place. */
  | { readonly kind: 'keep'; readonly path: readonly string[]; readonly as?: string }
  | { readonly kind: 'drop'; readonly path: readonly string[] };

export interface Select {
  /** Absent: all data types that no other select names. */
  readonly dataType?: string;
  readonly entries: readonly SelectEntry[];
}

/**
 * Parses `users: id, address.city as city, !password`; the data type may be left out. Throws ERR_USAGE with the place
 * of a fault, and for entries that contradict each other.
 */
export function parseSelect(text: string): Select {
  const reader = createReader(text);
  const dataType = reader.dataType();
  const entries: SelectEntry[] = [];
  do entries.push(reader.entry());
  while (reader.takes(','));
  reader.mustEnd();
  const complete = entries.some(({ kind }) => kind !== 'drop') ? entries : [{ kind: 'all' } as const, ...entries];
  mustAgree(complete, reader.fault);
  return dataType === undefined ? { entries: complete } : { dataType, entries: complete };
}

/** A name without quotes: no space, and none of the characters of the language. */
const bareName = /[^\s,.:!*"]+/y;
const dataTypeName = /[^\s,:!*"]+/y;
const quotedName = /"(?:[^"\\]|\\.)*"/y;
const space = /\s*/y;

/** A position in the text. */
function createCursor(text: string) {
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const fault = (what: string): ExtractError => new ExtractError('ERR_USAGE', `select "${text}": ${what}`);
  return {
    match,
    fault,
    isAtEnd: () => at === text.length,
    expected(what: string) {
      const found = at < text.length ? `found "${text.slice(at, at + 20)}"` : 'it ends there';
      return fault(`expected ${what} at character ${at + 1}, ${found}`);
    },
    takes(mark: string): boolean {
      match(space);
      if (!text.startsWith(mark, at)) return false;
      at += mark.length;
      return true;
    },
    /** Returns to where it was, unless `read` finds something. */
    attempt(read: () => string | undefined): string | undefined {
      const start = at;
      const found = read();
      if (found === undefined) at = start;
      return found;
    },
  };
}

function createReader(text: string) {
  const { match, fault, isAtEnd, expected, takes, attempt } = createCursor(text);
  const name = (what: string): string => {
    match(space);
    const quoted = match(quotedName);
    if (quoted !== undefined) return unquoted(quoted, fault);
    const bare = match(bareName);
    if (bare === undefined) throw expected(what);
    return bare;
  };
  const path = (): readonly string[] => {
    const names = [name('a member')];
    while (takes('.')) names.push(name('a member after the dot'));
    return names;
  };
  return {
    fault,
    takes,
    dataType: () =>
      attempt(() => {
        match(space);
        const quoted = match(quotedName);
        const found = quoted === undefined ? match(dataTypeName) : unquoted(quoted, fault);
        return found !== undefined && takes(':') ? found : undefined;
      }),
    entry: (): SelectEntry => {
      if (takes('*')) return { kind: 'all' };
      if (takes('!')) return { kind: 'drop', path: path() };
      const kept = path();
      match(space);
      const isRenamed = match(/as(?=[\s"])/y) !== undefined;
      return isRenamed ? { kind: 'keep', path: kept, as: name('a name after "as"') } : { kind: 'keep', path: kept };
    },
    mustEnd: () => {
      match(space);
      if (!isAtEnd()) throw expected('a comma, "as" or the end');
    },
  };
}

function unquoted(text: string, fault: (what: string) => ExtractError): string {
  try {
    return String(JSON.parse(text));
  } catch {
    throw fault(`${text} is not a name: quotes contain a JSON string`);
  }
}

const shown = (path: readonly string[]): string => path.join('.');

/** The name of a kept member among those of the item. */
export const outputName = (entry: { readonly path: readonly string[]; readonly as?: string }): string =>
  entry.as ?? elementAt(entry.path, 0);

/** Throws if two entries make one member, or one drops what another keeps. */
function mustAgree(entries: readonly SelectEntry[], fault: (what: string) => ExtractError): void {
  if (entries.filter(({ kind }) => kind === 'all').length > 1) throw fault('"*" is given twice');
  const kept = entries.filter((entry) => entry.kind === 'keep');
  const dropped = entries.filter((entry) => entry.kind === 'drop').map(({ path }) => path);
  const seen = new Map<string, (typeof kept)[number]>();
  for (const entry of kept) {
    const name = outputName(entry);
    const other = seen.get(name);
    const isPart = entry.as === undefined && other !== undefined && other.as === undefined;
    const isSame = isPart && shown(entry.path) === shown(other.path);
    if (isSame) throw fault(`"${shown(entry.path)}" is given twice`);
    if (other !== undefined && !isPart) throw fault(`two members would be called "${name}": rename one with "as"`);
    seen.set(name, entry);
    const clash = dropped.find((path) => path.every((each, index) => each === entry.path[index]));
    if (clash !== undefined) throw fault(`"${shown(entry.path)}" is kept, and "!${shown(clash)}" drops it`);
  }
}
