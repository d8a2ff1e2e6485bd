/** Leaves out the earlier ones of several members with one name: the last one counts. */
import {
  afterComma,
  afterString,
  afterValue,
  CLOSE_LIST,
  CLOSE_OBJECT,
  OPEN_LIST,
  OPEN_OBJECT,
  stringAt,
} from '../../src/core/json/byte-steps.js';

/** Returns compact items with a newline after each. For the few responses that have such members. */
export function withoutRepeated(lines: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = afterValue(lines, at);
    parts.push(valueAt(lines, at), newline);
    at = end + 1;
  }
  return Buffer.concat(parts);
}

const newline = Buffer.from('\n');

function valueAt(source: Buffer, at: number): Buffer {
  if (source[at] === OPEN_OBJECT) return objectAt(source, at);
  return source[at] === OPEN_LIST ? listAt(source, at) : source.subarray(at, afterValue(source, at));
}

function objectAt(source: Buffer, at: number): Buffer {
  const members = new Map<string, Buffer>();
  for (let next = at + 1; source[next] !== CLOSE_OBJECT; ) {
    const value = afterString(source, next) + 1;
    const name = stringAt(source, next, value - 1);
    members.set(name, Buffer.concat([source.subarray(next, value), valueAt(source, value)]));
    next = afterComma(source, afterValue(source, value));
  }
  return Buffer.from(`{${[...members.values()].join(',')}}`);
}

function listAt(source: Buffer, at: number): Buffer {
  const elements: Buffer[] = [];
  for (let next = at + 1; source[next] !== CLOSE_LIST; ) {
    elements.push(valueAt(source, next));
    next = afterComma(source, afterValue(source, next));
  }
  return Buffer.from(`[${elements.join(',')}]`);
}
