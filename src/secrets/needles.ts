/** An index of secret values by the first characters of each form they can take in a text. */
import { asciiJson } from '../request/json-body.js';
import { decode, encodePath, encodeQueryText, formEncode, rawEncode } from '../request/percent.js';

/** Forms shorter than this would be found in innocent text. */
const shortest = 4;

export interface Needles {
  add(value: string): void;
  has(value: string): boolean;
  size(): number;
  /** The length of the longest form that starts at this place of the text; 0: none. `cut`: a form may be cut off by the text's end. */
  lengthAt(text: string, at: number, end: 'whole' | 'cut'): number;
}

/** Makes an empty index. Forms are worked out when the first text is searched: most runs have nothing to mask. */
export function createNeedles(): Needles {
  const values = new Set<string>();
  const formsByStart = new Map<string, string[]>();
  let waiting: string[] = [];

  function index(): void {
    const touched = new Set<string[]>();
    for (const form of waiting.flatMap(formsOf)) {
      const start = form.slice(0, shortest);
      const forms = formsByStart.get(start) ?? [];
      forms.push(form);
      formsByStart.set(start, forms);
      touched.add(forms);
    }
    for (const forms of touched) forms.sort((a, b) => b.length - a.length);
    waiting = [];
  }

  function add(value: string): void {
    if (values.has(value)) return;
    values.add(value);
    if (value.length >= shortest) waiting.push(value);
  }

  return {
    has: (value) => values.has(value),
    size: () => values.size,
    add(value) {
      add(value);
      // A header goes out without the white space around it, such as the line break behind a value that was read from a file.
      if (value.trim() !== '') add(value.trim());
    },
    lengthAt(text, at, end) {
      if (waiting.length > 0) index();
      const forms = formsByStart.get(text.slice(at, at + shortest)) ?? [];
      const whole = forms.find((form) => text.startsWith(form, at))?.length ?? 0;
      if (end === 'whole' || forms.length === 0) return whole;
      const rest = text.slice(at);
      return forms.some((form) => form.startsWith(rest)) ? rest.length : whole;
    },
  };
}

/** Every way in which the value is written on the wire or can come back in an answer. */
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
  // The platform's own way leaves more characters as they are.
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

/** What all error pages escape, and how each kind of templates writes that and what it escapes besides; the first leaves apostrophes alone. */
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

/** Base64 of the value by itself, and what of it does not depend on its neighbours where it stands within a longer text. */
function base64Forms(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const inner = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const whole = bytes.toString('base64');
  const forms = [whole, whole.replace(/=+$/, ''), ...inner];
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}
