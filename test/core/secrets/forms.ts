/** The known encodings of a value on the wire or in a response. */
import { asciiJson } from '../../../src/core/url/json-body.js';
import { decode, encodePath, encodeQueryText, formEncode, rawEncode } from '../../../src/core/url/percent.js';

/** Shorter ones may be found in innocent text. */
const shortest = 4;

/** Every encoding of the value on the wire or in a response. */
export function formsOf(value: string): readonly string[] {
  const once = [value, ...base64Forms(value)].flatMap((text) => [text, ...percentForms(text), ...jsonForms(text)]);
  // A server that quotes a request within its answer encodes it a second time.
  const twice = [...percentForms(value).flatMap(percentForms), ...jsonForms(value).flatMap(jsonForms)];
  const html = [value, ...base64Forms(value)].flatMap(htmlForms);
  const forms = [...once, ...twice, ...html, ...misreadForms(value)];
  return [...new Set(forms)].filter((form) => form.length >= shortest);
}

function percentForms(text: string): readonly string[] {
  if (/^[\w\-.]*$/.test(text)) return [text];
  const form = formEncode(text);
  const raw = rawEncode(text);
  // The platform's own encoding leaves more characters unchanged.
  const lenient = raw.replace(/%(?:21|27|28|29|2A)/g, decode);
  // Others take each value for a path, whose slashes stay.
  const forms = [form, raw].flatMap((each) => [each, each.replaceAll('%2F', '/')]);
  const blanks = [form.replaceAll('+', '%20'), raw.replaceAll('%20', '+')];
  const all = [...forms, ...blanks, lenient, encodePath(text), encodeQueryText(text)];
  return [...all, ...all.map((each) => each.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase()))];
}

function jsonForms(text: string): readonly string[] {
  if (/^[\w\-.+=~ ]*$/.test(text)) return [text];
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = asciiJson(text).slice(1, -1);
  const forms = [json, json.replaceAll('/', '\\/'), ascii, ascii.replaceAll('\\/', '/')];
  return [...forms, ...forms.map((each) => each.replace(/(?<=\\u)[\da-f]{4}/g, (code) => code.toUpperCase()))];
}

/**
 * The characters that all error pages escape, how each kind of template writes them, and its further escapes; the first
 * leaves apostrophes unchanged.
 */
const escapes: readonly Readonly<Record<string, string>>[] = [
  {},
  { "'": '&#39;' },
  { "'": '&#039;' },
  { "'": '&#x27;' },
  { "'": '&apos;' },
  { "'": '&#39;', '"': '&#34;' },
  { "'": '&#39;', '"': '&#34;', '+': '&#43;' },
  { "'": '&#39;', '/': '&#x2F;', '`': '&#x60;', '=': '&#x3D;' },
  { "'": '&#x27;', '/': '&#x2F;' },
  { "'": '&#x27;', '`': '&#x60;', '=': '&#x3D;' },
  { "'": '&#x27;', '+': '&#x2B;' },
].map((own) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', ...own }));

function htmlForms(text: string): readonly string[] {
  const special = /[&<>"'/`=+]/g;
  if (text.search(special) < 0) return [];
  return escapes.map((written) => text.replace(special, (char) => written[char] ?? char));
}

/** As a server echoes it that takes the bytes of a header for Latin-1. */
function misreadForms(text: string): readonly string[] {
  const misread = Buffer.from(text).toString('latin1');
  return misread === text ? [] : [misread, ...jsonForms(misread)];
}

/** Base64 of the value by itself, and at each place of a longer text where it can begin in a group of four. */
function base64Forms(value: string): readonly string[] {
  const within = [value, `u:${value}:p`, `us:${value}`, `use:${value}`];
  const forms = within.map((text) => Buffer.from(text).toString('base64'));
  return forms.flatMap((form) => [form, form.replace(/=+$/, ''), form.replaceAll('+', '-').replaceAll('/', '_')]);
}
