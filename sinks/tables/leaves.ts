/**
 * Reads items as rows: each path to a text, number, boolean or list is a leaf, and the leaves of an item are found in
 * its bytes without parsing the rest. Objects are no leaves, and an empty one has none.
 */
import { ExtractError } from '../../src/core/errors/errors.js';
import { asBuffer } from '../../src/core/util/as-buffer.js';
import { type ColumnKind, kindOfNumber } from './column-kinds.js';

/** A path that has occurred in an item. */
export interface Leaf {
  /** Member names from the outside in; empty: the item itself, which is no object. */
  readonly path: readonly string[];
  readonly name: string;
  /** Its place in the values of a row. */
  readonly index: number;
}

/** A value of a leaf. */
export interface LeafValue {
  readonly kind: ColumnKind;
  /** As in the item; of a text what is between its quotes, with its escapes. */
  readonly raw: string;
}

/** The values of an item by the index of their leaf. A hole or undefined: it has none, or null. */
export type LeafRow = readonly (LeafValue | undefined)[];

export interface ReadRows {
  readonly rows: readonly LeafRow[];
  /** The leaves that have a value in these rows, and the kinds of their values: both by first appearance. */
  readonly seen: ReadonlyMap<Leaf, readonly ColumnKind[]>;
}

/** Remembers the leaves of a table, so that each has one name. */
export interface LeafReader {
  /**
   * Reads compact JSON items, a line each. Throws ERR_SINK with the paths if two leaves would have the same name.
   */
  read(chunks: readonly Uint8Array[]): ReadRows;
}

interface Node {
  readonly path: readonly string[];
  /** By the name as written in the item, between its quotes. */
  readonly members: Map<string, Node>;
  leaf: Leaf | undefined;
}

interface Options {
  /** The name of the column of a path. */
  readonly nameOf: (path: readonly string[]) => string;
  /** What the table is, for messages: `postgres: the table "public.users"`. */
  readonly what: string;
}

/** Reads items of one table. */
export function createLeafReader({ nameOf, what }: Options): LeafReader {
  const root: Node = { path: [], members: new Map(), leaf: undefined };
  const names = new Map<string, Leaf>();
  const leafOf = (node: Node): Leaf => {
    if (node.leaf !== undefined) return node.leaf;
    const leaf = { path: node.path, name: nameOf(node.path), index: names.size };
    const other = names.get(leaf.name);
    // Two ways to write one name, such as with and without an escape, are one path.
    if (other !== undefined && !isSame(other.path, leaf.path)) throw collapse(what, leaf, other);
    node.leaf = other ?? leaf;
    names.set(leaf.name, node.leaf);
    return node.leaf;
  };
  return {
    read(chunks) {
      const rows: LeafRow[] = [];
      const seen = new Map<Leaf, ColumnKind[]>();
      for (const bytes of chunks) readChunk(asBuffer(bytes).toString('utf8'), { root, leafOf, rows, seen });
      return { rows, seen };
    },
  };
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((name, index) => name === other[index]);

interface Reading {
  readonly root: Node;
  readonly leafOf: (node: Node) => Leaf;
  readonly rows: LeafRow[];
  readonly seen: Map<Leaf, ColumnKind[]>;
}

/** The text is valid: a page scanner has read it. */
function readChunk(text: string, { root, leafOf, rows, seen }: Reading): void {
  let at = 0;
  let row: (LeafValue | undefined)[] = [];

  const keep = (node: Node, kind: ColumnKind, raw: string) => {
    const leaf = leafOf(node);
    const kinds = seen.get(leaf);
    if (kinds === undefined) seen.set(leaf, [kind]);
    else if (!kinds.includes(kind)) kinds.push(kind);
    row[leaf.index] = { kind, raw };
  };
  const object = (node: Node) => {
    at += 1;
    while (text.charCodeAt(at) !== closeBrace) {
      const end = endOfText(text, at);
      const name = text.slice(at + 1, end);
      at = end + 2; // A colon follows.
      value(memberOf(node, name));
      if (text.charCodeAt(at) === comma) at += 1;
    }
    at += 1;
  };
  const value = (node: Node) => {
    const first = text.charCodeAt(at);
    if (first === openBrace) return object(node);
    const from = at;
    if (first === quote) {
      at = endOfText(text, at) + 1;
      return keep(node, 'text', text.slice(from + 1, at - 1));
    }
    at = first === openBracket ? endOfList(text, at) : endOfWord(text, at);
    const raw = text.slice(from, at);
    if (first === openBracket) return keep(node, 'json', raw);
    if (first === letterT || first === letterF) return keep(node, 'boolean', raw);
    if (first !== letterN) return keep(node, kindOfNumber(raw), raw);
    if (node.leaf !== undefined) row[node.leaf.index] = undefined; // Of several equal names the last one counts.
    return undefined;
  };

  while (at < text.length) {
    row = [];
    value(root);
    rows.push(row);
    at += 1; // The newline.
  }
}

const [quote, backslash, comma, newline] = [0x22, 0x5c, 0x2c, 0x0a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [letterT, letterF, letterN] = [0x74, 0x66, 0x6e];

/** The place of the closing quote. */
function endOfText(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); ; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
}

/** The place behind the closing bracket. */
function endOfList(text: string, from: number): number {
  let depth = 0;
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfText(text, at);
    else if (code === openBracket || code === openBrace) depth += 1;
    else if (code === closeBracket || code === closeBrace) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
}

/** The place behind a number, `true`, `false` or `null`. */
function endOfWord(text: string, from: number): number {
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at);
    if (code === comma || code === closeBrace || code === newline || at >= text.length) return at;
  }
}

function memberOf(node: Node, name: string): Node {
  const known = node.members.get(name);
  if (known !== undefined) return known;
  const plain: string = name.includes('\\') ? JSON.parse(`"${name}"`) : name;
  const member = { path: [...node.path, plain], members: new Map(), leaf: undefined };
  node.members.set(name, member);
  return member;
}

function collapse(what: string, one: Leaf, other: Leaf): ExtractError {
  const [first, second] = [other, one].map(({ path }) => JSON.stringify(path));
  return new ExtractError(
    'ERR_SINK',
    `${what}: the members ${first} and ${second} would be one column, "${one.name}"`,
    { remedy: 'Rename or leave out one of them with --select, or use columns=item.' },
  );
}
