/**
 * The contract of sinks and journal as a model: every order of steps, with kills and other faults after each of them.
 * This is the short form; `npm run model` explores all setups.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { explore } from './explore.js';
import { nameOf } from './setup.js';
import { failing, quick } from './setups.js';

for (const setup of quick) {
  test(`holds: ${nameOf(setup)}`, () => {
    const { fault, ends } = explore(setup);
    assert.is(fault, undefined, `${fault?.text}: ${fault?.steps.join(', ')}`);
    assert.ok((ends.done ?? 0) > 0, 'no run has ended');
  });
}

for (const [rule, setup] of failing) {
  test(`fails without: ${rule}`, () => {
    const { fault } = explore(setup);
    assert.ok(fault !== undefined, nameOf(setup));
  });
}

test.run();
