/** Secrets in every place of every source, in every encoding that it may have: none is in what `init` writes. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCurl, readCurlText } from '../../../src/tools/init/curl.js';
import { configOf, draftOf } from '../../../src/tools/init/draft.js';
import type { FoundRequest } from '../../../src/tools/init/found-request.js';
import { readHar } from '../../../src/tools/init/har.js';
import { readOpenApi } from '../../../src/tools/init/openapi.js';
import { configText } from '../../../src/tools/init/write-config.js';
import { finds } from '../../security/finding.js';
import { failure } from '../../support/failure.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { contextOf } from './read-context.js';

const seed = Date.now() % 1_000_000;
const random = mulberry32(seed);

const alphabets = [
  '0123456789abcdef',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/.~!',
  'abc 0123456789"\\\'&%$€ü{}<>^`',
] as const;

/** A random text, as tokens and passwords are. */
function secretOf(round: number): string {
  const letters = [...(alphabets[round % alphabets.length] ?? '')];
  const text = Array.from({ length: 28 }, () => letters[random() % letters.length]).join('');
  return `7${text.trim()}Qz9`;
}

const single = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const ansi = (text: string): string =>
  `$'${text.replaceAll(/[\\'!]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`;
const double = (text: string): string => `"${text.replaceAll(/["\\$`]/g, '\\$&')}"`;
/** As browsers write it for the command prompt of Windows. */
const cmd = (text: string): string =>
  `^"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/[^a-zA-Z0-9\s_\-:=+~'/.',?;()*`]/g, '^$&')}^"`;

/** Where a secret may be in a request, by the words of a curl command. */
const places: readonly (readonly [name: string, words: (secret: string, encoded: string) => readonly string[]])[] = [
  ['a bearer token', (secret) => ['-H', `Authorization: Bearer ${ascii(secret)}`]],
  ['an authorization without a scheme', (secret) => ['-H', `Authorization: ${ascii(secret)}`]],
  ['user and password', (secret) => ['-u', `${secret.replaceAll(':', '')}:${secret}`]],
  ['a cookie', (secret) => ['-b', `sid=${ascii(secret)}`]],
  ['a header', (secret) => ['-H', `X-Custom: ${ascii(secret)}`]],
  ['Accept', (secret) => ['-H', `Accept: application/${ascii(secret)}`]],
  ['User-Agent', (secret) => ['-A', `tool/${ascii(secret)}`]],
  ['a version', (secret) => ['-H', `Api-Version: ${ascii(secret)}`]],
  ['Referer', (secret) => ['-e', `https://app.example/${encodeURIComponent(secret)}?a=${encodeURIComponent(secret)}`]],
  ['Origin', (secret) => ['-H', `Origin: https://${encodeURIComponent(secret)}@app.example`]],
  ['a parameter', (_, encoded) => ['--url-query', `+custom=${encoded}`]],
  ['page', (_, encoded) => ['--url-query', `+page=${encoded}`]],
  ['sort', (_, encoded) => ['--url-query', `+sort=${encoded}`]],
  ['since', (_, encoded) => ['--url-query', `+since=${encoded}`]],
  ['a parameter encoded by curl', (secret) => ['--url-query', `fields=${secret}`]],
  ['a form', (secret) => ['--data-urlencode', `limit=${secret}`, '-d', 'page=1']],
  ['a JSON body', (secret) => ['--json', JSON.stringify({ limit: 5, filter: [{ status: secret }], sort: secret })]],
  [
    'a GraphQL query',
    (secret) => ['--json', JSON.stringify({ query: `{ users(t: ${JSON.stringify(secret)}) { id } }` })],
  ],
];

/** A header has no other characters. */
const ascii = (text: string): string => text.replaceAll(/[^\x21-\x7e]|^[ '"]|<|>|[{}]/g, '') || 'x';

const written = (found: FoundRequest): string => {
  const draft = draftOf(found);
  return configText(configOf(draft, {}), {});
};

/** What an encoder writes for the secret in a URL: every reserved character, or every character. */
const encodings: readonly ((secret: string) => string)[] = [
  encodeURIComponent,
  (secret) => encodeURIComponent(secret).replaceAll('%20', '+'),
  (secret) => Buffer.from(secret).toString('hex').replaceAll(/../g, '%$&'),
];

const url = 'https://api.example/v1/users';
const rounds = 12;

async function check(what: string, secret: string, read: () => Promise<FoundRequest>): Promise<void> {
  const found = await read();
  const text = written(found);
  const place = `${what}, seed ${seed}`;
  assert.not(finds(text, secret), `${place}: ${secret} in ${text}`);
  assert.not(finds(JSON.stringify(found.notes ?? []), secret), place);
}

for (const [name, words] of places) {
  test(`a curl command with a secret in ${name}`, async () => {
    for (let round = 0; round < rounds; round++) {
      const secret = secretOf(round);
      const args = words(secret, encodings[round % encodings.length]?.(secret) ?? '');
      await check('words', secret, () => readCurl(['curl', url, ...args], contextOf()));
      for (const quoted of [single, ansi, double]) {
        const line = ['curl', url, ...args.map(quoted)].join(' ');
        await check(quoted.name, secret, () => readCurlText(line, contextOf()));
      }
      const line = ['curl', cmd(url), ...args.map(cmd)].join(' ');
      if (!secret.includes('`')) await check('cmd', secret, () => readCurlText(line, contextOf()));
    }
  });
}

test('a secret in a repeated parameter is refused without showing it', async () => {
  for (let round = 0; round < rounds; round++) {
    const secret = secretOf(round);
    for (const encode of encodings) {
      const found = await readCurl(['curl', `${url}?id=${encode(secret)}&id=5`], contextOf());
      const { message } = await failure(Promise.resolve(found).then(draftOf));
      assert.match(message, 'the query has "id" several times');
      assert.not(finds(message, secret), `seed ${seed}: ${secret} in ${message}`);
    }
  }
});

test('a secret in the path', async () => {
  for (let round = 0; round < rounds; round++) {
    const secret = secretOf(round);
    for (const encode of encodings.slice(0, 1)) {
      await check('path', secret, () => readCurl(['curl', `https://api.example/${encode(secret)}/users`], contextOf()));
    }
  }
});

test('a HAR file with secrets in headers, cookies, query and body', async () => {
  for (let round = 0; round < rounds; round++) {
    const secret = secretOf(round);
    const headers = [
      { name: 'authorization', value: `Token ${ascii(secret)}` },
      { name: 'x-csrf-token', value: ascii(secret) },
    ];
    const request = {
      method: 'POST',
      url: `${url}?page=1&key=${encodeURIComponent(secret)}`,
      headers,
      cookies: [{ name: 'sid', value: ascii(secret) }],
      postData: { mimeType: 'application/json', text: JSON.stringify({ q: secret, page: 1 }) },
    };
    const response = { status: 200, content: { mimeType: 'application/json', text: '[{"id":1}]' } };
    const text = JSON.stringify({ log: { entries: [{ request, response }] } });
    await check('HAR', secret, () => readHar(text, 'app.har', contextOf()));
  }
});

test('an OpenAPI document with secrets of the environment, and in its examples', async () => {
  const securitySchemes = {
    key: { type: 'apiKey', in: 'query', name: 'sort' },
    header: { type: 'apiKey', in: 'header', name: 'Accept-Version' },
    login: { type: 'http', scheme: 'basic' },
  };
  for (let round = 0; round < rounds; round++) {
    const secret = ascii(secretOf(round));
    const parameters = [{ name: 'account', in: 'query', required: true, example: secret }];
    const get = { security: [{ key: [], header: [], login: [] }], parameters };
    const text = JSON.stringify({
      openapi: '3.1.0',
      servers: [{ url }],
      paths: { '/a': { get } },
      components: { securitySchemes },
    });
    const env = { API_SORT: secret, API_ACCEPT_VERSION: secret, API_USER: secret, API_PASSWORD: secret };
    const source = { text, label: 'openapi.json', location: new URL('file:///openapi.json') };
    await check('OpenAPI', secret, () => readOpenApi(source, contextOf({ env })));
  }
});

test.run();
