/**
 * What `rxtract init` may copy from a request into a file: the names of headers and parameters that are known to be
 * harmless, each with the form of its values. Everything else counts as a secret.
 */

/** Whether a text of this form is harmless. */
type Form = (text: string) => boolean;

/** Letters of one word, without random upper and lower case: `limit`, `Limit`, `pageSize`, `DESC`. */
const letters = /^(?:[A-Z]?[a-z]{1,20}(?:[A-Z][a-z]{2,20}|At|By|Id|In|Is|Of|On|To){0,4}|[A-Z]{1,12})$/;

/** No word has so many consonants in a row. */
const unspeakable = /[b-df-hj-np-tvwxz]{6}/i;

/** Letters beside few digits: `v1`, `utf8`, `v1beta1`, `2nd`. */
const mixed =
  /^(?:(?:[A-Z]?[a-z]{1,10}|[A-Z]{1,5})\d{1,3}|\d{1,3}(?:[a-z]{1,4}|[A-Z]{1,4})|v\d{1,2}(?:alpha|beta|rc|p)\d{0,2})$/;

const digits = /^\d{1,4}$/;

/** A text with more words that have digits is more likely random than written. */
const mostMixed = 4;

const longestPlain = 300;

/** Words, identifiers, versions and small numbers, as people write them; nothing that may be random. */
export function isPlain(text: string): boolean {
  if (text.length > longestPlain) return false;
  const parts = text.split(/[.,:;/ +~()[\]*|$@=<>!?"']+/);
  const words = parts.flatMap((part) => part.split(/[-_]+/)).filter((word) => word !== '');
  if (words.filter(isMixed).length > mostMixed || parts.some(isLikeToken)) return false;
  return words.every((word) => (letters.test(word) ? !unspeakable.test(word) : digits.test(word) || mixed.test(word)));
}

const isMixed = (word: string): boolean => mixed.test(word) && !letters.test(word);

/** Upper case, lower case, and letters beside digits, in a part as long as a short token. */
const isLikeToken = (part: string): boolean =>
  part.length >= 16 && /[A-Z]/.test(part) && /[a-z]/.test(part) && /[A-Za-z]\d|\d[A-Za-z]/.test(part);

const isNumber: Form = (text) => /^-?\d{1,9}(?:\.\d{1,4})?$/.test(text);

/** A date, perhaps with its time, or seconds or milliseconds since 1970. */
const isDate: Form = (text) =>
  /^\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text) ||
  /^1\d{9}(?:\d{3})?$/.test(text);

/** One of two: it has nothing to hide. */
const isFlag: Form = (text) => /^(?:true|false|yes|no|on|off|null|\d{1,2}|asc|desc|ascending|descending)$/i.test(text);

const numbers =
  set(`_ batchsize count day days depth first from hours itemsperpage last level limit max maxitems maxkeys
  maxpagesize maxresults minutes month num numberofresults offset p page pagecount pageindex pagelength pagelimit pageno
  pagenum pagenumber pageoffset pagesize perpage precision recordsperpage results resultsperpage rows size skip start
  startat startindex startposition take to top week year`);

const wordLists = set(`action affiliation aggregate alt apiversion asc columns country currency desc dir direction embed
  envelope entity exclude expand extend field fields fl format gl granularity groupby hl include includes interval kind
  lang language locale mode model module object operationname operator order orderby ordering orderdir outcome output
  outputformat outputmode period pretty prettyprint projection properties property propertyname prop props region
  resource resourcetype select sort sortby sortdir sortdirection sortfield sorting sortkey sortorder sorts state states
  status statuses timezone type types tz unit units v version view visibility wt`);

/** The ends of names of moments: `updated_since`, `created[gte]`, `start_date`. */
const ofMoment = /(?:date|time|timestamp|since|until|from|to|after|before|start|end|at|on|gte?|lte?|updated|created)$/;

/** Names whose small numbers may open something. */
const ofAccess = /pin|otp|pass|pwd|secret|token|key|auth|code|cvv|cvc|sign|session/;

/** The name without case, separators and brackets: `page[size]`, `page_size` and `$pageSize` are `pagesize`. */
const normalized = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '') || name;

/** Whether this value of a parameter may be copied: of a query, of a form, or a text in a JSON body. */
export function isHarmlessParameter(name: string, value: string): boolean {
  if (value === '') return true;
  const key = normalized(name);
  if (isFlag(value) && !ofAccess.test(key)) return true;
  if (numbers.has(key) && (isNumber(value) || isTimestampOf(key, value))) return true;
  if (wordLists.has(key) && isPlain(value)) return true;
  return ofMoment.test(key) && !ofAccess.test(key) && (isDate(value) || isRelativeMoment(value));
}

/** `_=1700000000000`, which browsers add against caches. */
const isTimestampOf = (key: string, value: string): boolean => key === '_' && /^\d{10,13}$/.test(value);

const isRelativeMoment: Form = (text) => /^(?:now|today|yesterday|[-+]?\d{1,3} ?[a-z]{1,7}(?: ago)?)$/i.test(text);

/** Whether a number in a JSON body may be copied. */
export const isHarmlessNumber = (name: string, value: string): boolean =>
  isHarmlessParameter(name, value) || (/^-?\d{1,5}(?:\.\d{1,4})?$/.test(value) && !ofAccess.test(normalized(name)));

/**
 * Whether this is a GraphQL document that may be copied: its names are part of the API, and its texts are words. A
 * number of more than 6 digits may be a secret.
 */
export function isHarmlessGraphQl(name: string, text: string): boolean {
  if (name !== 'query' || !/^\s*(?:#[^\n]*\s*)*(?:query\b|\{|fragment\b)/.test(text)) return false;
  const [code, texts] = [text.replaceAll(stringInGraphQl, ' '), text.match(stringInGraphQl) ?? []];
  const tokens = code.match(/[\w-]+/g) ?? [];
  return texts.every((each) => isPlain(each)) && tokens.every(isNameOfGraphQl);
}

const stringInGraphQl = /"""[\s\S]*?"""|"(?:[^"\\]|\\.)*"/g;

const isNameOfGraphQl: Form = (token) => isPlain(token) || /^[A-Za-z_]\w{0,5}$/.test(token) || /^\d{1,6}$/.test(token);

/** Whether a segment of a path may be copied: words, and numbers such as those of an account. */
export const isHarmlessSegment: Form = (segment) => isPlain(segment) || /^\d{1,12}$/.test(segment) || isDate(segment);

const headerForms = new Map<string, Form>([
  ['accept', isPlain],
  ['accept-language', isPlain],
  ['content-type', isPlain],
  ['consistencylevel', isPlain],
  ['prefer', isPlain],
  ['origin', (text) => /^https?:\/\/[^/?#@\s]+$/.test(text)],
  ['referer', (text) => /^https?:\/\/[^/?#@\s]+\/?$/.test(text)],
  ['user-agent', isPlain],
  ['x-http-method-override', isPlain],
  ['x-requested-with', (text) => text === 'XMLHttpRequest' || isPlain(text)],
]);

/** Whether this header may be copied. Versions, such as `Notion-Version: 2022-06-28`, may. */
export function isHarmlessHeader(name: string, value: string): boolean {
  const key = name.toLowerCase();
  const form = headerForms.get(key) ?? (key.endsWith('-version') ? isPlain : undefined);
  return value.trim() === '' || (form?.(value.trim()) ?? false);
}

function set(names: string): ReadonlySet<string> {
  return new Set(names.split(/\s+/));
}
