/** Reads a curl command, as browsers and documentation write it, into a request. It runs nothing and reads no file. */
import { decode, rawEncode } from '../../core/url/percent.js';
import { usageError } from '../../core/util/check-value.js';
import { isCmd, splitCmd } from './cmd-words.js';
import { type CurlOption, type CurlRole, parseCurlWords } from './curl-options.js';
import type { FoundRequest } from './found-request.js';
import { headerOf, keptHeaders } from './kept-headers.js';
import type { ReadContext } from './read-context.js';
import { bodyOf, exportedSecrets, httpUrl, withoutBodyType } from './request-parts.js';
import { secretPlaces } from './secret-places.js';
import { type CurlWords, isCurl, readShellWords } from './shell-words.js';
import { checkParts, checkSize, mostBytes } from './source-limits.js';

type Headers = FoundRequest['headers'];

/** Reads the words of a command that the shell has split, `curl` first. Rejects with ERR_USAGE. */
export async function readCurl(words: readonly string[], context: ReadContext): Promise<FoundRequest> {
  if (!isCurl(words[0])) throw usageError('expected a curl command after --: rxtract init -- curl URL');
  return requestOf({ words: words.slice(1), names: new Map() }, context);
}

/**
 * Reads the text of a command: of bash, zsh or sh, where it may use variables, or of the command prompt of Windows.
 * Rejects with ERR_USAGE.
 */
export async function readCurlText(text: string, context: ReadContext): Promise<FoundRequest> {
  checkSize(text.length, mostBytes.curl, 'the curl command');
  if (isOtherLanguage(text)) {
    throw usageError(
      'this is no curl command of a shell: let the browser copy the request as cURL (bash) or cURL (cmd)',
    );
  }
  return requestOf(isCmd(text) ? readCmd(text) : await readShellWords(text, context.env), context);
}

/** PowerShell continues lines with a backtick. Browsers also copy a call in JavaScript. */
const isOtherLanguage = (text: string): boolean =>
  /^[ \t]*(?:await\s+)?fetch[(]|\bInvoke-(?:WebRequest|RestMethod)\b|^\$\w+ ?=|`[ \t]*\r?$/im.test(text);

function readCmd(text: string): CurlWords {
  const [command, other] = splitCmd(text).filter(([word]) => isCurl(word));
  if (command === undefined) throw usageError('standard input has no curl command: paste one, as a browser copies it');
  if (other !== undefined) throw usageError('there are several curl commands: give one of them');
  return { words: command.slice(1), names: new Map() };
}

async function requestOf({ words, names, input }: CurlWords, context: ReadContext): Promise<FoundRequest> {
  const { options, notes } = parseCurlWords(words);
  const given = withRole(options, 'data', 'body', 'encoded', 'json').map((each) => contentOf(each, input));
  const data =
    given.length === 0
      ? undefined
      : given.reduce((text, next) => `${text}${next.joint}${next.text}`, '').replace(/^&/, '');
  const isQuery = withRole(options, 'get').length > 0;
  const all = headersOf(options);
  const read = isQuery || data === undefined ? undefined : bodyOf(data, headerOf(all, 'Content-Type'));
  const url = urlOf(options, isQuery ? data : undefined);
  await addUser(url, options, all, context);
  const headers = withoutBodyType(keptHeaders(all), read?.body);
  const request = {
    method: methodOf(options, read !== undefined),
    url,
    headers,
    ...(read === undefined ? {} : { body: read.body }),
    source: 'the curl command',
    notes: [...notes, ...(read?.notes ?? [])],
  };
  checkPlaceholders(request);
  checkParts(request);
  return { ...request, secrets: secretPlaces(request, new Map([...exportedSecrets(context.env), ...names])) };
}

const withRole = (options: readonly CurlOption[], ...roles: readonly CurlRole[]): readonly CurlOption[] =>
  options.filter(({ role }) => roles.includes(role));

/** A part of the body, and what joins it to the part before. */
function contentOf(
  { role, given, value }: CurlOption,
  input?: string,
): { readonly text: string; readonly joint: string } {
  const joint = role === 'json' ? '' : '&';
  if (role === 'encoded') return { text: encoded(given, value), joint };
  if (role === 'body' || !value.startsWith('@')) return { text: value, joint };
  if (value !== '@-' || input === undefined) throw noFile(given);
  return { text: given === '-d' || given === '--data' ? input.replaceAll(/[\r\n]/g, '') : input, joint };
}

const noFile = (given: string) =>
  usageError(`${given} names a file, and init reads no file that a command names: write its content after ${given}`);

/** `text`, `=text` or `NAME=text`; `@FILE` and `NAME@FILE` are refused. */
function encoded(given: string, value: string): string {
  const [, name = '', separator = '', text = value] = /^([^=@]*)([=@])([\s\S]*)$/.exec(value) ?? [];
  if (separator === '@') throw noFile(given);
  return name === '' ? rawEncode(text) : `${name}=${rawEncode(text)}`;
}

/** The headers of options and of `-H`, which replaces one that an option sets. */
function headersOf(options: readonly CurlOption[]): Headers {
  const own = withRole(options, 'header').map(({ given, value }) => headerOfLine(given, value));
  const names = new Set(own.map(([name]) => name.toLowerCase()));
  const ofOptions = options
    .flatMap(headersOfOption)
    .filter(([name]) => name === 'Cookie' || !names.has(name.toLowerCase()));
  return [...ofOptions, ...own.filter(([, value]) => value !== undefined)].map(([name, value = '']) => [name, value]);
}

function headersOfOption({ role, given, value }: CurlOption): Headers {
  if (role === 'bearer') return [['Authorization', `Bearer ${value}`]];
  if (role === 'userAgent') return value === '' ? [] : [['User-Agent', value]];
  if (role === 'referer') return value.replace(/;auto$/, '') === '' ? [] : [['Referer', value.replace(/;auto$/, '')]];
  if (role === 'json')
    return [
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json'],
    ];
  if (role !== 'cookie' || value === '') return [];
  if (!value.includes('=')) throw noFile(given);
  return [['Cookie', value]];
}

/** `Name: value`; `Name:` removes a header, and `Name;` sends it empty. */
function headerOfLine(given: string, line: string): readonly [name: string, value: string | undefined] {
  if (line.startsWith('@')) throw noFile(given);
  const [, name = '', value = ''] = /^(:?[^:]*):([\s\S]*)$/.exec(line) ?? [];
  if (name !== '') return [name.trim(), value.trim() === '' ? undefined : value.trim()];
  if (line.endsWith(';')) return [line.slice(0, -1).trim(), ''];
  throw usageError(`a header of ${given} has no colon: write it as ${given} 'NAME: VALUE'`);
}

function urlOf(options: readonly CurlOption[], query: string | undefined): URL {
  const [first, other] = withRole(options, 'url');
  if (first === undefined) throw usageError('the curl command has no URL: copy the whole command');
  if (other !== undefined) {
    throw usageError('the curl command has several URLs: give one of them, and put a URL with blanks or & into quotes');
  }
  const braces = first.value.match(/\{[^{}]*\}/g) ?? [];
  const isGlob = /\[\w+-\w+(?::\d+)?\]/.test(first.value) || braces.some((each) => each.includes(','));
  if (isGlob && withRole(options, 'glob').length === 0) {
    throw usageError('the URL stands for several, by [a-b] or {a,b}: write one of them');
  }
  const added = withRole(options, 'query').map(({ given, value }) =>
    value.startsWith('+') ? value.slice(1) : encoded(given, value),
  );
  return withQuery(httpUrl(first.value), [...added, ...(query === undefined ? [] : [query])]);
}

function withQuery(url: URL, pairs: readonly string[]): URL {
  const query = [url.search.slice(1), ...pairs].filter((each) => each !== '').join('&');
  const changed = new URL(url);
  changed.search = query;
  return changed;
}

/** Puts user and password of `-u` into the URL, unless a header has credentials. */
async function addUser(
  url: URL,
  options: readonly CurlOption[],
  headers: Headers,
  context: ReadContext,
): Promise<void> {
  const given = withRole(options, 'basic').at(-1)?.value;
  if (given === undefined || headerOf(headers, 'Authorization') !== undefined) return;
  const at = given.indexOf(':');
  const user = at < 0 ? given : given.slice(0, at);
  const password = at < 0 ? await context.ask('The password of -u', { secret: true }) : given.slice(at + 1);
  if (password === undefined) throw usageError('-u has no password: write -u USER:PASSWORD');
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(password);
}

function methodOf(options: readonly CurlOption[], hasBody: boolean): 'GET' | 'POST' {
  const named = withRole(options, 'method').at(-1)?.value.toUpperCase();
  const method = named ?? (hasBody ? 'POST' : 'GET');
  if (method === 'HEAD') return 'GET';
  if (method !== 'GET' && method !== 'POST') {
    const shown = /^[A-Z]{1,10}$/.test(method) ? `, not ${method}` : '';
    throw usageError(`init sends GET and POST only${shown}: use a request that lists items`);
  }
  if (method === 'GET' && hasBody) {
    throw usageError(
      'a GET cannot have a body: try -X POST, which most such APIs accept, or -G, which makes it a query',
    );
  }
  return method;
}

/** Documentation writes `<token>`, `{id}` and `{{baseUrl}}` for values of the reader. */
function checkPlaceholders({ url, headers }: Pick<FoundRequest, 'url' | 'headers'>): void {
  const wrong = headers.find(([, value]) =>
    [value, value.replace(/^\S+ +/, '')].some((each) => placeholder.test(each)),
  );
  if (wrong !== undefined) throw usageError(`the header ${wrong[0]} has a placeholder: write a value there, or $NAME`);
  const values = [
    url.hostname,
    ...url.pathname.split('/'),
    ...url.search
      .slice(1)
      .split('&')
      .map((pair) => pair.replace(/^[^=]*=/, '')),
  ];
  if (values.some((value) => placeholder.test(decode(value)))) {
    throw usageError('the URL has a placeholder: write a value there');
  }
}

const placeholder = /^(?:\{\{[^{}]*\}\}|<[A-Za-z][\w -]*>|\{[A-Za-z_]\w*\})$/;
