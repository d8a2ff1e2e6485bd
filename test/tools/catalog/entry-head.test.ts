/** The head of a configuration. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readHead } from '../../../src/tools/catalog/entry-head.js';

test('a head is read line by line, and a line may continue', () => {
  const text = [
    '// Acme: orders of a shop.',
    '// Set ACME_TOKEN: a token.',
    '// Set config.shop: the name: of the shop.',
    '// Scopes: read.',
    '// Limits: two requests',
    '//   a second.',
    '// Documentation: https://acme.example/docs',
    '// Not proven: all of it.',
    '{}',
    '// Limits: none.',
  ].join('\n');
  assert.equal(readHead(text), {
    vendor: 'Acme',
    title: 'orders of a shop',
    settings: ['ACME_TOKEN: a token', 'config.shop: the name: of the shop'],
    scopes: 'read.',
    documentation: 'https://acme.example/docs',
    limits: 'two requests a second.',
    notProven: 'all of it.',
  });
});

test('what is missing is empty', () => {
  const { vendor, title, settings, limits } = readHead('// A configuration\n{}');
  assert.equal([vendor, title, settings, limits], ['', '', [], '']);
});

test.run();
