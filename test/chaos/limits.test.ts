/**
 * Many jobs under two rates on slow and failing connections, on the true clock. The long form, which also looks at how
 * much of the rates is used: `npm run chaos -- --limits 60`.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createDice } from './dice.js';
import { rush } from './limits.js';

const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set CHAOS_SEED to repeat)`);

test('no window of sent requests exceeds its rate, whatever the connections do', async () => {
  const rates = [
    { text: '20/s', most: 20, ms: 1000 },
    { text: '40/3s', most: 40, ms: 3000 },
  ];
  const { requests, connections, sent } = await rush(
    { jobs: 15, rates, pages: 40, ms: Number.POSITIVE_INFINITY, slowest: 300 },
    createDice(seed),
  );
  assert.ok(requests >= 55, 'forty pages, and for each job one that is empty');
  assert.ok(connections >= 15, 'all begin at once, each on a connection of its own');
  for (const { text, most } of rates) assert.ok((sent[text] ?? 0) <= most, `${sent[text]} of ${text}`);
});

test.run();
