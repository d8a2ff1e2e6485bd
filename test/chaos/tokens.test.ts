/**
 * Many jobs on one login, its tokens short-lived and revoked at random. The long form, a hundred jobs on tokens of one
 * second: `npm run chaos -- --tokens 60`.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createDice } from './dice.js';
import { weather } from './tokens.js';

const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set CHAOS_SEED to repeat)`);

test('no job fails, no item is lost, and never are two logins under way', async () => {
  const seen = await weather(
    { jobs: 40, lifetime: 1, grace: 60_000, isOver: ({ revocations }) => revocations >= 6 },
    createDice(seed),
  );
  assert.ok(seen.revocations > 0 && seen.refusals > 0, 'tokens were revoked while they were in use');
  assert.is(seen.loginsAtOnce, 1);
  assert.is(seen.needlessLogins, 0);
});

test.run();
