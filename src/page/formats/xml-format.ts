/** XML: each element at a path is an item. docs/14-any-response.md#xml. */
import { ExtractError } from '../../core/errors/errors.js';
import type { EncodingName } from '../../core/model/response-format.js';
import type { Format } from './body-format.js';
import { type Detect, detectByMark, markedEncoding, TextInput } from './text-input.js';
import { XmlItems } from './xml-items.js';

export const xml: Format = {
  create: (context) => new TextInput(new XmlItems(context), context.options.encoding, detectByDeclaration),
};

/** Where a declaration ends, if there is one. */
const MOST_DECLARATION = 256;

const encodings: ReadonlyMap<string, EncodingName> = new Map([
  ['utf-8', 'utf-8'],
  ['us-ascii', 'utf-8'],
  ['utf-16', 'utf-8'],
  ['iso-8859-1', 'latin1'],
  ['latin1', 'latin1'],
  ['windows-1252', 'windows-1252'],
]);

/** By the byte-order mark, or by the declaration. A declaration that can be read as ASCII is not that of UTF-16. */
export const detectByDeclaration: Detect = (first, isAll) => {
  const isDeclared = '<?xml'.startsWith(first.toString('latin1', 0, 5));
  const end = first.indexOf('?>');
  if (isDeclared && end < 0 && first.length < MOST_DECLARATION && !isAll) return undefined;
  const marked = markedEncoding(first) ?? zeroEncoding(first);
  if (marked !== undefined || !isDeclared) return marked ?? detectByMark(first, isAll);
  const declared = /encoding\s*=\s*["']([^"']*)/.exec(
    first.toString('latin1', 0, end < 0 ? MOST_DECLARATION : end),
  )?.[1];
  const encoding = encodings.get((declared ?? 'utf-8').toLowerCase());
  if (encoding !== undefined) return encoding;
  throw new ExtractError('ERR_XML', 'the XML declares an encoding that is not known; set `response.encoding`');
};

/** UTF-16 without a mark: the document begins with `<`, one of its bytes is 0. */
function zeroEncoding(first: Buffer): EncodingName | undefined {
  if (first[0] === 0x3c && first[1] === 0) return 'utf-16le';
  return first[0] === 0 && first[1] === 0x3c ? 'utf-16be' : undefined;
}
