/** The ways on which a secret could leave: answers that hold it, in every encoding, and failures of every kind. */
import type { RecordedRequest, Reply } from '../loopback/api.js';
import type { PlacedDocument } from './places.js';

export interface Way {
  readonly name: string;
  /** What it adds to the document. */
  readonly change?: (document: PlacedDocument) => PlacedDocument;
  readonly args?: readonly string[];
  /** Answers request number `index` of the jobs, counted from 0. */
  readonly answer: (asked: Asked) => Reply;
  /** Answers logins too; absent: those succeed. */
  readonly failsLogins?: true;
  /** Only its response differs: a run in code shows as much as one by the command line. */
  readonly isShown?: true;
  /** It goes to its end. */
  readonly isWhole?: true;
}

export interface Asked {
  readonly secret: string;
  readonly request: RecordedRequest;
  readonly index: number;
  /** The address of the server, without a slash at the end. */
  readonly origin: string;
}

const page = (value: unknown, headers = {}): Reply => ({
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});
const refusal = (body: string, status = 403): Reply => ({ status, headers: { 'content-type': 'text/plain' }, body });

const lowerHex = (text: string) => text.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase());
const form = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
const ascii = (json: string) =>
  json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const base64 = (text: string) => Buffer.from(text).toString('base64');

const mustache = new Map([
  ...Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }),
  ...Object.entries({ '/': '&#x2F;', '`': '&#x60;', '=': '&#x3D;' }),
]);

/** The encodings of a value in a response. */
export const encodings: Readonly<Record<string, (value: string) => string>> = {
  'as it is': (value) => value,
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lower case': (value) => lowerHex(encodeURIComponent(value)),
  'percent-encoded but for slashes': (value) => encodeURIComponent(value).replaceAll('%2F', '/'),
  'in a form': form,
  'in a form, in lower case': (value) => lowerHex(form(value)),
  'in a form within a form': (value) => form(form(value)),
  'in base64': base64,
  'in base64 for addresses': (value) => Buffer.from(value).toString('base64url'),
  'in base64, percent-encoded': (value) => encodeURIComponent(base64(value)),
  'within Basic, behind a user': (value) => `Basic ${base64(`joe:${value}`)}`,
  'within Basic, behind a longer user': (value) => `Basic ${base64(`joanna:${value}`)}`,
  'within Basic, before a colon': (value) => `Basic ${base64(`${value}:x`)}`,
  'in JSON': (value) => JSON.stringify(value),
  'in JSON in ASCII, slashes escaped': (value) => ascii(JSON.stringify(value)).replaceAll('/', '\\/'),
  'in JSON in ASCII, in upper case': (value) =>
    ascii(JSON.stringify(value)).replace(/\\u(\w{4})/g, (_, code) => `\\u${code.toUpperCase()}`),
  'in JSON within JSON': (value) => JSON.stringify(JSON.stringify(value)),
  'in HTML': (value) =>
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  'in HTML, as Mustache has it': (value) => [...value].map((char) => mustache.get(char) ?? char).join(''),
  'read as Latin-1': (value) => Buffer.from(value).toString('latin1'),
};

/** Those that depend on more than the value: on the text before it, and on where the text of a response ends. */
const shown: Readonly<Record<string, (value: string) => string>> = {
  'as it is': (value) => value,
  'in JSON': JSON.stringify,
  'within Basic, behind a user': (value) => `Basic ${base64(`joe:${value}`)}`,
  'folded at its blanks': (value) => value.replaceAll(' ', '\r\n  '),
  'cut off at the end of what is read': (value) => `${' '.repeat(64 * 1024 - 12)}${value}`,
  'across the cut of what is shown': (value) => `${'x'.repeat(112)}${value}`,
};

const echoes = Object.entries(shown).map(
  ([name, encode]): Way => ({
    name: `an error that holds it ${name}`,
    isShown: true,
    answer: ({ secret }) => refusal(encode(secret)),
  }),
);

/** Those that a client has added. */
const lastHeaders = ({ headers }: RecordedRequest): string =>
  JSON.stringify(headers.filter(([name]) => !/^(host|connection|content)/i.test(name)));

/**
 * The parts of a request that an error page could quote, one for each response, which is shown up to 120 characters.
 */
const pieces: Readonly<Record<string, (request: RecordedRequest) => string>> = {
  'the line': ({ method, target }) => `${method} ${target}`,
  'the body': ({ body }) => body,
  'the headers': lastHeaders,
  'the end of the headers': (request) => lastHeaders(request).split(', ').slice(-2).join(', '),
};

const quotes = Object.entries(pieces).map(
  ([name, piece]): Way => ({
    name: `an error that quotes ${name} of the request`,
    isShown: true,
    answer: ({ request }) => refusal(piece(request)),
  }),
);

const paged = (pagination: object) => (document: PlacedDocument) => ({
  ...document,
  api: { ...document.api, pagination },
});
const pagenum = paged({ method: 'pagenum' });
const links = paged({ method: 'response.url', urlKey: 'next' });
const linkTo =
  (address: (asked: Asked) => string): Way['answer'] =>
  (asked) =>
    asked.index === 0 ? page({ next: address(asked), data: [1] }) : refusal('no such page', 404);
const location = (target: string): Reply => ({ status: 302, headers: { location: target }, body: '' });
const retried = (document: PlacedDocument) => ({
  ...document,
  api: { ...document.api, retryConfig: { maxRetries: 1 } },
});
const soon = { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' };

export const ways: readonly Way[] = [
  ...echoes,
  ...quotes,
  {
    name: 'a login that is refused and quotes what it was sent',
    failsLogins: true,
    answer: ({ request }) => refusal(`${request.body} ${request.target} ${lastHeaders(request)}`, 400),
  },
  {
    name: 'a login whose reply is not what was expected',
    failsLogins: true,
    answer: ({ secret }) => refusal(`[${JSON.stringify(secret)}`, 200),
  },
  {
    name: 'a redirect to an address that holds it, and fails',
    answer: ({ index, secret }) =>
      index === 0 ? location(`/there?key=${encodeURIComponent(secret)}&x=${form(secret)}`) : refusal('not here', 404),
  },
  { name: 'redirects without end', answer: ({ secret }) => location(`/again/${encodeURIComponent(secret)}`) },
  {
    name: 'a redirect to what is no address',
    answer: ({ secret }) => location(`ftp://${encodeURIComponent(secret)}/`),
  },
  {
    name: 'a redirect to a server that no one named, and is not there',
    answer: ({ secret }) => location(`http://127.0.0.1:1/?key=${encodeURIComponent(secret)}`),
  },
  {
    name: 'a link that holds it, and leads nowhere',
    change: links,
    answer: linkTo(({ secret }) => `/next?key=${encodeURIComponent(secret)}`),
  },
  { name: 'a link that is no address', change: links, answer: linkTo(({ secret }) => `ftp:${secret}`) },
  {
    name: 'a link to a server that no one named',
    change: links,
    answer: linkTo(({ secret }) => `http://127.0.0.1:1/?key=${encodeURIComponent(secret)}`),
  },
  { name: 'a body that is no JSON', answer: ({ secret }) => refusal(`${secret} is what you sent`, 200) },
  { name: 'a body that is broken JSON', answer: ({ secret }) => refusal(`[${JSON.stringify(secret)},,]`, 200) },
  {
    name: 'a body that is cut',
    answer: ({ secret }) => ({
      headers: { 'content-length': '10000' },
      body: (response) => void response.write(`[${JSON.stringify(secret)}`, () => response.destroy()),
    }),
  },
  { name: 'a list that is not there', answer: ({ secret }) => page({ [secret]: { a: secret } }) },
  {
    name: 'two lists, one of them called by it',
    answer: ({ secret }) => page({ [secret]: [1], other: [2] }),
  },
  {
    name: 'pages that go round',
    change: pagenum,
    answer: ({ index, secret }) => page([index % 2 === 0 ? secret : 'other']),
  },
  {
    name: 'a cursor that is no number',
    change: paged({ method: 'cursor', idKey: 'id', param: 'since' }),
    answer: ({ secret }) => page([{ id: secret }]),
  },
  {
    name: 'a retry, and the end of retries',
    change: retried,
    answer: ({ secret }) => ({ status: 503, headers: soon, body: `busy: ${secret}` }),
  },
  {
    name: 'a connection that ends without an answer',
    answer: () => ({ body: (response) => void response.destroy() }),
  },
  {
    name: 'requests that are reported',
    change: (document) => pagenum({ ...document, config: { ...document.config, debug: true } }),
    answer: ({ index }) => page(index === 0 ? [1] : []),
  },
  { name: 'a run that goes well', isWhole: true, change: pagenum, answer: ({ index }) => page(index === 0 ? [1] : []) },
  { name: 'a run that ends with a warning', answer: () => page({}) },
];
