/** `rxtract init --like NAME`: the configuration of examples/apis, byte for byte. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { catalog } from '../../../src/tools/catalog/entries.js';
import { commandHere, inTemporary, ownCommand } from '../../blackbox/command.js';

const folder = fileURLToPath(new URL('../../../examples/apis', import.meta.url));
const names = catalog.map(({ name }) => name);
const original = (name: string): string => readFileSync(join(folder, name, 'config.json'), 'utf8');

test('the names are those of the examples', () => {
  assert.equal(names, readdirSync(folder).sort());
});

for (const name of names) {
  test(`--like ${name} gives its configuration, and says what to set in it and what is not proven`, async () => {
    const { exit, stdout, stderr } = await commandHere(['init', '--like', name, '--out', '-']);
    assert.is(exit, 0, stderr);
    assert.is(stdout, original(name));
    for (const [, variable = ''] of stdout.matchAll(/"env": "(\w+)"/g)) assert.match(stderr, variable);
    assert.match(
      stderr,
      /^written to standard output: [^\n]+: [^\n]*\.\n(nothing is to be set\n|set before a run:\n(?: {2}[^|\n]+\n)+)(scopes: .*\n)?not proven: .*\nnext:\n/,
    );
  });
}

test('it writes a file, and never over another one without --force', () =>
  inTemporary(async (place) => {
    const out = join(place, 'my shop.json');
    const init = (...more: readonly string[]) => commandHere(['init', '--like', 'shopify', '--out', out, ...more]);
    const first = await init();
    assert.is(first.exit, 0, first.stderr);
    assert.is(
      first.stderr.replaceAll(place, ''),
      `wrote /my shop.json: Shopify: orders with their transactions, customers and products, by the REST Admin API.
set before a run:
  SHOPIFY_TOKEN: the Admin API access token of a custom app
  config.shop: the first part of your-shop.myshopify.com
scopes: read_orders, read_customers, read_products; read_all_orders for orders older than 60 days.
not proven: not tried with the live API; versions after 2025-07: Shopify calls this API legacy.
next:
  rxtract preview '/my shop.json'   shows the first pages
  rxtract run '/my shop.json'       writes all items to out/
`,
    );
    await writeFile(out, 'mine');
    assert.match((await init()).stderr, 'is there already');
    assert.is(await readFile(out, 'utf8'), 'mine');
    assert.is((await init('--force')).exit, 0);
    assert.is(await readFile(out, 'utf8'), original('shopify'));
  }));

test('the built command finds the configurations too', () =>
  inTemporary(async (cwd) => {
    const { exit, stderr } = await ownCommand(['init', '--like', 'stripe'], { cwd });
    assert.is(exit, 0, stderr);
    assert.is(await readFile(join(cwd, 'config.json'), 'utf8'), original('stripe'));
  }));

const wrong: readonly (readonly [words: readonly string[], message: string])[] = [
  [['--like', 'strip'], '--like is a name that `rxtract catalog search` lists, found "strip"; did you mean "stripe"?'],
  [['--like', 'stripe', 'https://api.example/'], 'leave out "https://api.example/"'],
  [['--like', 'stripe', '--header', 'X-Key: 1'], 'leave out --header'],
  [['--like', 'stripe', '--keep', 'team'], 'leave out --keep'],
  [['--like', 'stripe', '--allow-post'], 'leave out --allow-post'],
  [['--like', 'stripe', '--max-requests', '5'], 'leave out --max-requests'],
];

for (const [words, message] of wrong) {
  test(`${words.join(' ')} is refused, and nothing is written`, () =>
    inTemporary(async (place) => {
      const out = join(place, 'config.json');
      const { exit, stderr } = await commandHere(['init', ...words, '--out', out]);
      assert.is(exit, 1);
      assert.ok(stderr.includes(message), stderr);
      assert.not.ok(existsSync(out));
    }));
}

test.run();
