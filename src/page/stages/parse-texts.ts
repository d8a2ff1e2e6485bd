/** Replaces texts of items that are JSON by their values, at the paths of `response.parse`. */
import { createBytes, type GrowingBytes } from '../../../sinks/growing-bytes.js';
import { ExtractError } from '../../core/errors/errors.js';
import {
  afterComma,
  afterString,
  afterValue,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  stringAt,
} from '../../core/json/byte-steps.js';
import { compactText } from '../../core/json/compact-text.js';
import { type Items, startOf } from '../../core/model/batch.js';
import { asBuffer } from '../../core/util/as-buffer.js';
import type { PageStage } from '../page-stage.js';
import { rewriteItems } from './rewrite-items.js';

/** A member at which a path ends, or passes. */
interface ParsedMember {
  isParsed: boolean;
  readonly members: Map<string, ParsedMember>;
  /** Names on the way, with dots. */
  readonly path: string;
}

const NEWLINE = 0x0a;

/** Creates the stage; undefined without paths. A path leads through lists to each of their elements. */
export function parseTexts(paths: readonly (string | readonly string[])[]): PageStage | undefined {
  if (paths.length === 0) return undefined;
  const root = memberTree(paths);
  return rewriteItems((items, before) => parsedItems(items, root, before));
}

function memberTree(paths: readonly (string | readonly string[])[]): ParsedMember {
  const root: ParsedMember = { isParsed: false, members: new Map(), path: '' };
  for (const path of paths) {
    let member = root;
    for (const name of typeof path === 'string' ? path.split('.') : path) {
      const next: ParsedMember = member.members.get(name) ?? {
        isParsed: false,
        members: new Map(),
        path: member === root ? name : `${member.path}.${name}`,
      };
      member.members.set(name, next);
      member = next;
    }
    member.isParsed = true;
  }
  return root;
}

function parsedItems(items: Items, root: ParsedMember, before: number): Items {
  const source = asBuffer(items.bytes);
  const out = createBytes(source.length + 64);
  const offsets = new Uint32Array(items.count + 1);
  for (let index = 0; index < items.count; index++) {
    try {
      writeValue(source, startOf(items, index), startOf(items, index + 1) - 1, root, out);
    } catch (thrown) {
      throw inItem(thrown, before + index);
    }
    out.byte(NEWLINE);
    offsets[index + 1] = out.length;
  }
  return { bytes: out.take(), offsets, count: items.count };
}

function inItem(thrown: unknown, index: number): unknown {
  if (!(thrown instanceof ExtractError)) return thrown;
  const { code, message, cause } = thrown;
  return new ExtractError(code, `${message}, in item ${index} of the page (from 0)`, { cause });
}

/** Writes the value between two positions; the texts of a list that is parsed are parsed each. */
function writeValue(source: Buffer, from: number, to: number, member: ParsedMember, out: GrowingBytes): void {
  const first = source[from];
  if (first === QUOTE && member.isParsed) writeParsed(stringAt(source, from, to), member, out);
  else if (first === OPEN_LIST) writeList(source, from, member, out);
  else if (first === OPEN_OBJECT && member.members.size > 0) writeObject(source, from, member, out);
  else out.copy(source, from, to);
}

function writeList(source: Buffer, from: number, member: ParsedMember, out: GrowingBytes): void {
  out.byte(OPEN_LIST);
  for (let next = from + 1; source[next] !== CLOSE_LIST; ) {
    const end = afterValue(source, next);
    writeValue(source, next, end, member, out);
    out.byte(COMMA);
    next = afterComma(source, end);
  }
  out.replaceComma(CLOSE_LIST);
}

function writeObject(source: Buffer, from: number, { members }: ParsedMember, out: GrowingBytes): void {
  out.byte(OPEN_OBJECT);
  for (let next = from + 1; source[next] !== CLOSE_OBJECT; ) {
    const nameEnd = afterString(source, next);
    const end = afterValue(source, nameEnd + 1);
    const member = members.get(stringAt(source, next, nameEnd));
    if (member === undefined) out.copy(source, next, end);
    else {
      out.copy(source, next, nameEnd + 1);
      writeValue(source, nameEnd + 1, end, member, out);
    }
    out.byte(COMMA);
    next = afterComma(source, end);
  }
  out.replaceComma(CLOSE_OBJECT);
}

/** A text without a character, as an empty cell has, is null. Paths may lead on into what was parsed. */
function writeParsed(text: string, member: ParsedMember, out: GrowingBytes): void {
  const json = Buffer.from(text.trim() === '' ? 'null' : parsedText(text, member.path));
  if (member.members.size === 0) out.copy(json, 0, json.length);
  else writeValue(json, 0, json.length, { ...member, isParsed: false }, out);
}

function parsedText(text: string, path: string): string {
  try {
    return compactText(text);
  } catch (thrown) {
    if (!(thrown instanceof ExtractError)) throw thrown;
    const { code, message, cause } = thrown;
    throw new ExtractError(code, `the text at "${path}" is not JSON: ${message}`, { cause });
  }
}
