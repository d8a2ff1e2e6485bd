import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { looksSecret } from '../../../src/core/secrets/looks-secret.js';
import { isHarmlessSegment, isHarmlessText } from '../../../src/tools/init/harmless.js';
import { mulberry32 } from '../../support/mulberry32.js';

const texts: readonly (readonly [name: string, value: string, isHarmless: boolean])[] = [
  ['_shape', 'objects', true],
  ['q', 'rxjs', true],
  ['after', 'now-7d', true],
  ['page', '1', true],
  ['page', '4815162342108', false],
  ['sort', 'sk_live_51HxYzAbCdEf0123', false],
  ['pin', '77', false],
  ['pin', '', true],
  ['api_key', 'abc', false],
  ['account', '1234567', true],
  ['otp', '12345', false],
];
for (const [name, value, isHarmless] of texts) {
  test(`${isHarmless ? 'copies' : 'does not copy'} ${name}=${value}`, () => {
    assert.is(isHarmlessText(name, value), isHarmless);
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
  ['{ users(token: "abc") { id } }', false],
];
for (const [text, isHarmless] of documents) {
  test(`${isHarmless ? 'copies' : 'does not copy'} ${text}`, () =>
    assert.is(isHarmlessText('query', text), isHarmless));
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
      isHarmlessSegment(text) ||
      ['Accept', 'page', 'sort', 'since', 'q'].some((name) => !looksSecret(name, text)) ||
      isHarmlessText('query', `{ users(t: "${text}") { id } }`);
    if (isCopied) copied.push(text);
  }
  assert.ok(copied.length < 20, `seed ${seed}: ${copied.length} of 20,000, ${copied.slice(0, 5).join(' ')}`);
});

test.run();
