/** The code that opens a connection must read an address as the code that trusted it did. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createOrigins } from '../../src/core/url/origins.js';
import { resolveUrl, splitUrl } from '../../src/core/url/url.js';

const home = 'https://api.example:8443/v1/';
const origins = createOrigins({ baseUrl: home, endpoints: [] }, () => undefined);

/** Pieces in which parsers of addresses disagree. */
const pieces = fc.constantFrom(
  'http',
  'https',
  'HTTPS',
  ':',
  '/',
  '//',
  '\\',
  '@',
  '#',
  '?',
  '.',
  '..',
  '%2f',
  '%40',
  '%00',
  '\t',
  '\n',
  '\0',
  ' ',
  '[::1]',
  'api.example',
  'API.EXAMPLE',
  'ａｐｉ.example',
  'api。example',
  'evil.example',
  'api.example:8443',
  ':8443',
  ':08443',
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '',
  'ß',
  'x',
);

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`a trusted address connects to the configured origin, in any spelling (SEED=${seed})`, () => {
  let trusted = 0;
  let made = 0;
  const check = (parts: readonly string[]) => {
    let url = '';
    try {
      url = resolveUrl(home, parts.join(''));
    } catch {
      return;
    }
    const { origin, target } = splitUrl(url);
    if (!URL.canParse(origin)) return; // No connection is opened.
    made += 1;
    // The platform's parser is the one that the connection is opened by.
    const opened = new URL(origin);
    assert.is(opened.pathname + opened.search + opened.hash + opened.username, '/');
    assert.ok(target.startsWith('/') && !/[\s\0]/.test(target), target);
    if (!origins.trusts(url)) return;
    trusted += 1;
    assert.is(opened.origin, 'https://api.example:8443');
  };
  const addresses = fc.oneof(
    fc.array(pieces, { maxLength: 8 }),
    fc
      .tuple(fc.constantFrom('https://', '//', 'http://'), fc.array(pieces, { maxLength: 6 }))
      .map(([a, b]) => [a, ...b]),
  );
  fc.assert(fc.property(addresses, check), { seed, numRuns: 20_000 });
  assert.ok(made > 2000 && trusted > 500, `${made} addresses, ${trusted} trusted`);
});

test.run();
