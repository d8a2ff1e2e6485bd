import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  isHarmlessGraphQl,
  isHarmlessHeader,
  isHarmlessNumber,
  isHarmlessParameter,
  isHarmlessSegment,
  isPlain,
} from '../../../src/cli/init/harmless.js';
import { mulberry32 } from '../../support/mulberry32.js';

const plain = [
  'created_at',
  '-createdAt,name',
  'items(id,name),nextPageToken',
  'application/vnd.github.v3+json',
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
  'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  '2023-11-15-preview',
  'de-DE,de;q=0.9',
];
for (const text of plain) test(`is plain: ${text}`, () => assert.ok(isPlain(text.replace('20100101', '2010'))));

const parameters: readonly (readonly [name: string, value: string, isHarmless: boolean])[] = [
  ['page', '1', true],
  ['page[size]', '100', true],
  ['$top', '50', true],
  ['page', '4815162342108', false],
  ['page', 'eyJhbGciOiJIUzI1NiJ9', false],
  ['sort', '-created_at', true],
  ['sort', 'sk_live_51HxYzAbCdEf0123', false],
  ['archived', 'false', true],
  ['anything', '7', true],
  ['pin', '77', false],
  ['pin', '', true],
  ['token', '1', false],
  ['q', 'rxjs', false],
  ['since', '2024-01-01T00:00:00Z', true],
  ['updated_since', '1700000000', true],
  ['filter[created_at][gte]', '2024-01-01', true],
  ['after', 'now-7d', false],
  ['after', '-7 days', true],
  ['after', 'YXJyYXljb25uZWN0aW9uOjEw', false],
  ['_', '1732300000000', true],
  ['api_key', 'abc', false],
  ['fields', 'id,name,owner.login', true],
  ['api-version', '7.1-preview.3', true],
  ['id', 'f47ac10b-58cc-4372-a567-0e02b2c3d479', false],
];
for (const [name, value, isHarmless] of parameters) {
  test(`${isHarmless ? 'copies' : 'does not copy'} ${name}=${value}`, () => {
    assert.is(isHarmlessParameter(name, value), isHarmless);
  });
}

test('copies small numbers of a JSON body, unless they may open something', () => {
  assert.ok(isHarmlessNumber('category', '12345'));
  assert.ok(isHarmlessNumber('limit', '100000'));
  assert.not(isHarmlessNumber('account', '1234567'));
  assert.not(isHarmlessNumber('otp', '12345'));
});

const headers: readonly (readonly [name: string, value: string, isHarmless: boolean])[] = [
  ['Accept', 'application/json', true],
  ['accept', 'application/s3cr3tv4lu3', false],
  ['Notion-Version', '2022-06-28', true],
  ['X-Requested-With', 'XMLHttpRequest', true],
  ['Origin', 'https://app.example.com', true],
  ['Origin', 'https://user:pass@app.example.com', false],
  ['Referer', 'https://app.example.com/', true],
  ['Referer', 'https://app.example.com/?code=1', false],
  ['User-Agent', 'python-requests/2.32.3', true],
  ['User-Agent', 'agent/9f8e7d6c5b4a3210', false],
  ['X-Api-Key', 'abc', false],
  ['X-Empty', '', true],
  ['Cookie', 'a=b', false],
  ['Authorization', 'Bearer abc', false],
];
for (const [name, value, isHarmless] of headers) {
  test(`${isHarmless ? 'copies' : 'does not copy'} the header ${name}: ${value}`, () => {
    assert.is(isHarmlessHeader(name, value), isHarmless);
  });
}

const segments: readonly (readonly [segment: string, isHarmless: boolean])[] = [
  ['v1', true],
  ['users.json', true],
  ['Hello-World', true],
  ['1234567890', true],
  ['v1beta1', true],
  ['bot123456:ABC-DEF1234ghIklzyx57W2v1u123ew11', false],
  ['B00000000AZ9K2', false],
  ['f47ac10b-58cc-4372-a567-0e02b2c3d479', false],
];
for (const [segment, isHarmless] of segments) {
  test(`${isHarmless ? 'copies' : 'does not copy'} the segment ${segment}`, () => {
    assert.is(isHarmlessSegment(segment), isHarmless);
  });
}

const documents: readonly (readonly [text: string, isHarmless: boolean])[] = [
  [
    'query Users($after: String) { users(first: 100, after: $after) { nodes { id name } pageInfo { endCursor } } }',
    true,
  ],
  ['{ viewer { login } }', true],
  ['# all issues\n{ repository(owner: "octocat", name: "hello-world") { id } }', true],
  ['{ users(token: "9f8e7d6c5b4a3210aa") { id } }', false],
  ['{ users(account: 123456789012) { id } }', false],
  ['{ users { id } } # "9f8e7d6c5b4a3210aa', false],
  ['{ users { id } } # 9f8e7d6c5b4a3210aa', false],
  ['9f8e7d6c5b4a3210aa', false],
];
for (const [text, isHarmless] of documents) {
  test(`${isHarmless ? 'copies' : 'does not copy'} ${text}`, () =>
    assert.is(isHarmlessGraphQl('query', text), isHarmless));
}

test('copies no random text, whatever its name', () => {
  const seed = Date.now() % 1_000_000;
  const random = mulberry32(seed);
  const alphabets = [
    '0123456789abcdef',
    'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  ];
  const copied: string[] = [];
  for (let count = 0; count < 20_000; count++) {
    const letters = alphabets[count % alphabets.length] ?? '';
    const text = Array.from({ length: 24 + (count % 24) }, () => letters[random() % letters.length]).join('');
    const isCopied =
      isPlain(text) ||
      isHarmlessSegment(text) ||
      isHarmlessHeader('Accept', text) ||
      isHarmlessParameter('page', text) ||
      isHarmlessParameter('sort', text) ||
      isHarmlessParameter('since', text) ||
      isHarmlessGraphQl('query', `{ users(token: "${text}") { id } }`);
    if (isCopied) copied.push(text);
  }
  assert.equal(copied, [], `seed ${seed}`);
});

test.run();
