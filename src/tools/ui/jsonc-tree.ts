/**
 * Reads JSON with comments into a tree with positions, also while it is being written: what is wrong is left out. The
 * server and the page of `rxtract ui` use it, so it needs neither Node nor a browser.
 */

export interface JsonNode {
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'word';
  readonly from: number;
  /** After its last character. */
  readonly to: number;
  readonly members: readonly JsonMember[];
  readonly items: readonly JsonNode[];
}

export interface JsonMember {
  readonly name: string;
  readonly key: JsonNode;
  /** Absent: it is not written yet. */
  readonly value?: JsonNode;
}

export interface JsonTree {
  readonly text: string;
  /** Absent: there is no value. */
  readonly root?: JsonNode;
  readonly comments: readonly { readonly from: number; readonly to: number }[];
}

export type JsonStep = string | number;

/** Deeper values are words. */
const deepest = 200;

const token =
  /[\s\uFEFF]+|\/\/[^\r\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$)|"(?:[^"\\\r\n]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:/]+|\//gy;

interface Token {
  readonly text: string;
  readonly from: number;
}

/** Never throws. */
export function readJsonc(text: string): JsonTree {
  const comments: { from: number; to: number }[] = [];
  const tokens: Token[] = [];
  for (const found of text.matchAll(token)) {
    const [word] = found;
    const at = { text: word, from: found.index };
    if (word.startsWith('/')) comments.push({ from: at.from, to: at.from + word.length });
    else if (!/^[\s\uFEFF]/.test(word)) tokens.push(at);
  }
  const reader = { tokens, at: 0, end: text.length };
  const root = readValue(reader, 0);
  return { text, comments, ...(root && { root }) };
}

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
  readonly end: number;
}

function readValue(reader: Reader, depth: number): JsonNode | undefined {
  const next = reader.tokens[reader.at];
  if (next === undefined || /^[}\],:]$/.test(next.text)) return undefined;
  if (/^[{[]$/.test(next.text) && depth < deepest) return readContainer(reader, next, depth);
  reader.at += 1;
  const kind = next.text.startsWith('"') ? 'string' : /^[-\d]/.test(next.text) ? 'number' : 'word';
  return { kind, from: next.from, to: next.from + next.text.length, members: [], items: [] };
}

function readContainer(reader: Reader, open: Token, depth: number): JsonNode {
  reader.at += 1;
  const isObject = open.text === '{';
  const close = isObject ? '}' : ']';
  const members: JsonMember[] = [];
  const items: JsonNode[] = [];
  for (let next = reader.tokens[reader.at]; next !== undefined; next = reader.tokens[reader.at]) {
    if (next.text === close) break;
    if (isObject && next.text.startsWith('"')) members.push(readMember(reader, depth));
    else {
      const item = isObject ? undefined : readValue(reader, depth + 1);
      if (item === undefined) reader.at += 1;
      else items.push(item);
    }
  }
  const last = reader.tokens[reader.at];
  reader.at += 1;
  const to = last === undefined ? reader.end : last.from + 1;
  return { kind: isObject ? 'object' : 'array', from: open.from, to, members, items };
}

function readMember(reader: Reader, depth: number): JsonMember {
  const { text, from } = reader.tokens[reader.at] ?? { text: '""', from: reader.end };
  reader.at += 1;
  const key: JsonNode = { kind: 'string', from, to: from + text.length, members: [], items: [] };
  const name = textOfString(text);
  if (reader.tokens[reader.at]?.text !== ':') return { name, key };
  reader.at += 1;
  const value = readValue(reader, depth + 1);
  return { name, key, ...(value && { value }) };
}

/** The value of a string as it is written; of one that is not JSON, its characters. */
export function textOfString(written: string): string {
  try {
    const value: unknown = JSON.parse(written);
    return typeof value === 'string' ? value : written;
  } catch {
    return written.replaceAll('"', '');
  }
}

/** The steps of a path of a message, such as `config.jobs[0]["a.b"]`. */
export const stepsOf = (path: string): readonly JsonStep[] =>
  [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, quoted, name]) =>
    index === undefined ? (quoted === undefined ? (name ?? '') : textOfString(quoted)) : Number(index),
  );

/** Where a path leads, or the nearest place on the way. Without a root: the whole text. */
export function placeOf({ root, text }: JsonTree, steps: readonly JsonStep[]): { from: number; to: number } {
  let place = root === undefined ? { from: 0, to: text.length } : { from: root.from, to: root.from + 1 };
  let node = root;
  for (const step of steps) {
    const member = node?.members.findLast(({ name }) => name === step);
    const found = typeof step === 'number' ? node?.items[step] : member?.value;
    const marked = found === undefined || found.kind === 'object' || found.kind === 'array' ? member?.key : found;
    if (marked === undefined && found === undefined) break;
    place = marked ?? { from: found?.from ?? place.from, to: (found?.from ?? place.from) + 1 };
    node = found;
  }
  return { from: place.from, to: place.to };
}
