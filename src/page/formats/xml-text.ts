/** The characters of XML: references, line ends, what is white space. */
import { XmlFault } from './xml-fault.js';

const named: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Replaces references by characters, and line ends by line feeds. Throws XmlFault for any other entity. */
export function decodeText(text: string): string {
  const whole = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return whole.includes('&') ? whole.replace(/&([^;]*)(;?)/g, decodeReference) : whole;
}

function decodeReference(_: string, name: string, end: string): string {
  const known = named.get(name);
  const number = /^#(?:(\d{1,8})|x([\da-fA-F]{1,6}))$/.exec(name);
  if (end === ';' && known !== undefined) return known;
  if (end === ';' && number !== null)
    return characterOf(Number.parseInt(number[1] ?? number[2] ?? '', number[1] === undefined ? 16 : 10));
  const shown = name.slice(0, 20);
  throw new XmlFault(
    `\`&${shown}\` is none of the five entities \`&amp;\`, \`&lt;\`, \`&gt;\`, \`&quot;\` and \`&apos;\``,
  );
}

function characterOf(code: number): string {
  const isControl = code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d;
  const isSurrogate = code >= 0xd800 && code < 0xe000;
  if (isControl || isSurrogate || code > 0x10ffff || code === 0xfffe || code === 0xffff) {
    throw new XmlFault(`a reference to the character ${code}, which XML does not allow`);
  }
  return String.fromCodePoint(code);
}

/** Line ends as one character; in a value of an attribute all white space is a space. XML 1.0, 2.11 and 3.3.3. */
export function normalizedValue(text: string, lineEnd: '\n' | ' '): string {
  if (lineEnd === '\n') return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return /[\t\r\n]/.test(text) ? text.replace(/\r\n|[\t\r\n]/g, ' ') : text;
}

/** Whether a text is nothing but white space. */
export const isBlankText = (text: string): boolean => !/[^ \t\r\n]/.test(text);
