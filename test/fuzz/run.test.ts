/** The short form of the long run: each target for a while, and what makes it worth running. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRandom, mutate } from './random.js';
import { fuzz } from './run.js';
import { type Target, targets } from './targets.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
const cases: Readonly<Record<string, number>> = {
  scanner: 3000,
  readers: 3000,
  configuration: 1500,
  text: 1500,
  masking: 1000,
};

// Tests do not assert on time: that of masking is for long runs.
for (const [name, target] of Object.entries(targets).filter(([each]) => each in cases)) {
  test(`${name} holds for random cases (seed ${seed})`, async () => {
    const most = cases[name] ?? 0;
    assert.is((await fuzz(name, target, seed, most, 2)).cases, most);
  });
}

test('a failing case ends the run and shows its seed', async () => {
  const seen: number[] = [];
  const broken: Target = (random) => {
    seen.push(random.int(1000));
    if (seen.length === 4) throw new Error('broken');
  };
  const message = await fuzz('broken', broken, 40, 10, 1).catch((thrown) => thrown.message);
  assert.is(message, 'broken, --seed 43 --cases 1: broken');
  const again = createRandom(43).int(1000);
  assert.is(seen[3], again);
});

test('a case that waits and then fails ends the run too', async () => {
  const broken: Target = () => Promise.reject(new Error('broken'));
  const message = await fuzz('broken', broken, 40, 10, 1).catch((thrown) => thrown.message);
  assert.is(message, 'broken, --seed 40 --cases 1: broken');
});

test('a run ends when its time is over', async () => {
  assert.is((await fuzz('none', () => undefined, 1, 10, 0)).cases, 0);
});

test('cases differ, and are the same for the same seed', () => {
  const made = (own: number) => mutate(Buffer.from('{"data":[1,2,3]}'), createRandom(own)).toString('latin1');
  const all = Array.from({ length: 500 }, (_, own) => made(own));
  assert.ok(new Set(all).size > 250, `${new Set(all).size} of 500 differ`);
  assert.equal(
    all,
    Array.from({ length: 500 }, (_, own) => made(own)),
  );
});

test.run();
