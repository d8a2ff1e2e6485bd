/** Recognises a first response that is no JSON: XML by its root element, CSV by its lines. */
import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { type ExactObject, fromPlain, isObject } from '../../core/json/exact.js';
import { findLists } from './find-lists.js';
import { initError, typeOf } from './init-error.js';
import type { Answer, Probe } from './prober.js';

/** So much of a body is looked at. */
const lookedBytes = 64 * 1024;
const mostLines = 20;

/** A `response` of a job; the element of XML is the root, whose lists are not known yet. */
export function formatOf(answer: Answer): ExactObject | undefined {
  const bytes = beginningOf(answer.body);
  const isText = isUtf8(bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1));
  const text = bytes.toString(isText ? 'utf8' : 'latin1').replace(/^\ufeff/, '');
  const root = /^\s*(?:<\?[^>]*>\s*|<!--[\s\S]*?-->\s*)*<([^\s<>/!?=]+)/.exec(text)?.[1];
  if (root !== undefined) return objectOf({ format: 'xml', element: [root] });
  const delimiter = delimiterOf(text, /\bcsv\b|tab-separated/i.test(typeOf(answer)));
  if (delimiter === undefined) return undefined;
  return objectOf({
    format: 'csv',
    ...(delimiter === ',' ? {} : { delimiter }),
    ...(isText ? {} : { encoding: 'windows-1252' }),
  });
}

/** An object in JSON is an object of `Exact`. */
function objectOf(plain: object): ExactObject {
  const exact = fromPlain(plain);
  return isObject(exact) ? exact : new Map();
}

/** The first bytes; of a gzip file, those in it. */
function beginningOf(body: Uint8Array): Buffer {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.subarray(0, lookedBytes);
  try {
    return gunzipSync(bytes, { maxOutputLength: 64 * 1024 * 1024 }).subarray(0, lookedBytes);
  } catch {
    return bytes.subarray(0, 0);
  }
}

/** The character that is as often in each line. `isNamed`: the type says CSV, so a header or one column is enough. */
function delimiterOf(text: string, isNamed: boolean): string | undefined {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const lines = (whole === '' && isNamed ? text : whole)
    .replace(/"(?:[^"]|"")*"/g, 'q')
    .split(/\r\n?|\n/)
    .filter((line) => line !== '')
    .slice(0, mostLines);
  if (lines.length === 0 || (lines.length === 1 && !isNamed)) return undefined;
  const counts = [',', ';', '\t', '|'].map((each) => {
    const [first = 0, ...rest] = lines.map((line) => line.split(each).length - 1);
    return { each, count: rest.every((count) => count === first) ? first : 0 };
  });
  const best = counts.reduce((most, each) => (each.count > most.count ? each : most));
  if (best.count > 0) return best.each;
  return isNamed ? ',' : undefined;
}

/** The format with the path of the likeliest list in a document, which was read as one item. */
export function withElement(response: ExactObject, { pages: [page] }: Probe): ExactObject {
  const [document] = page?.items ?? [];
  const [list] = document === undefined ? [] : findLists(document).filter(({ kind }) => kind !== 'map');
  if (list === undefined) {
    throw initError('the XML document has no list: no element is there several times. Try an account with more data');
  }
  const root = response.get('element') ?? null;
  const path = [...(Array.isArray(root) ? root : []), ...list.path];
  const hasDot = path.some((name) => typeof name === 'string' && name.includes('.'));
  return new Map([...response, ['element', hasDot ? path : path.join('.')]]);
}
