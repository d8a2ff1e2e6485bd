/** Files of items in runs that are killed. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { downloadOften } from './download-often.js';

const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set CHAOS_SEED to repeat)`);

test('60 files, and a kill after some of the requests', async () => {
  const { broken, kills } = await downloadOften(seed, 60, 8);
  assert.equal({ seed, broken }, { seed, broken: [] });
  assert.ok(kills > 0, `seed ${seed}`);
});

test.run();
