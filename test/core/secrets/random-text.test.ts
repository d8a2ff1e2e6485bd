import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { looksRandom } from '../../../src/core/secrets/random-text.js';
import { mulberry32 } from '../../support/mulberry32.js';

const written = [
  'limit',
  'pageSize',
  'createdDateTime',
  'HTTP_PROXY',
  'XMLHttpRequest',
  'v1beta1',
  'utf8',
  'de-DE,de;q=0.9',
  'items(id,name),nextPageToken',
  '-createdAt,name',
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
  '2023-11-15-preview',
  '2024-01-01T00:00:00.000Z',
  '1,2,3,4,5,6,7,8,9,10,11,12',
  '1732300000000',
  '20150830T123600Z',
  'Donaudampfschifffahrtsgesellschaft',
  'Überraschungsangebot für Œuvres d’été',
  'найти по имени',
  '東京都の天気',
];
for (const text of written) test(`is written: ${text}`, () => assert.not(looksRandom(text)));

const alphabets: Readonly<Record<string, string>> = {
  'base 16': '0123456789abcdef',
  'base 32': 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  'base 36': 'abcdefghijklmnopqrstuvwxyz0123456789',
  'base 62': 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  'base 64': 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  'base 64 for URLs': 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  letters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  signs: 'abcdefghijklmnopqrstuvwxyz0123456789!"#$%&()*+,-./:;<=>?@[]^_{|}~',
};
for (const [name, characters] of Object.entries(alphabets)) {
  test(`texts of ${name} with 32 characters are random, as nearly all with 20 are`, () => {
    const seed = Date.now() % 1_000_000;
    const random = mulberry32(seed);
    const missed = (length: number) =>
      Array.from({ length: 2000 }, () =>
        Array.from({ length }, () => characters[random() % characters.length]).join(''),
      ).filter((text) => !looksRandom(text));
    assert.ok(missed(20).length < 60, `seed ${seed}`);
    const long = missed(32);
    assert.ok(long.length <= 1, `seed ${seed}: ${long.join(' ')}`);
  });
}

test.run();
