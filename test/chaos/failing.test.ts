/** Children that fail, in runs that are killed: the others arrive once. The long form: `npm run failing`. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failOften } from './fail-often.js';

const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set CHAOS_SEED to repeat)`);

test('300 children of which some fail', async () => {
  const { broken, failed } = await failOften(seed, 300, 4);
  assert.equal({ seed, broken }, { seed, broken: [] });
  assert.ok(failed > 0, `seed ${seed}`);
});

test.run();
