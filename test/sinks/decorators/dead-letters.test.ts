/** Sinks whose refused items are left out: what they keep of the sink. test/run/dead-letters.test.ts has the runs. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../../sinks/contract.js';
import { handleItemErrors, type ItemErrorRule } from '../../../sinks/decorators/dead-letters.js';
import { sinksOf } from '../../../sinks/decorators/fan-out.js';
import { memory } from '../../../sinks/memory.js';
import { newStore, transactionSink } from '../kinds.js';
import { calm, pageEnd } from '../lib.js';

const hooks = { notify: () => {}, mask: (text: string) => text };

/** The handled sink, and what its commits have received as `keep`. */
function handled(rule: Exclude<ItemErrorRule, 'fail'>) {
  const keeps: unknown[] = [];
  const sink: Sink = {
    ...transactionSink(newStore()),
    keepBytes: 1500,
    commit: ({ keep }) => void keeps.push(keep),
  };
  const [first] = sinksOf(handleItemErrors(sink, rule, hooks).sink);
  return { first, keeps };
}

test('positions of letters take room in the sink only if letters are stored', () => {
  assert.is(handled('skip').first?.keepBytes, 1500);
  assert.is(handled({ deadLetter: memory() }).first?.keepBytes, 500);
});

test('a page without letters is committed as it is', async () => {
  for (const rule of ['skip', { deadLetter: memory() }] as const) {
    const { first, keeps } = handled(rule);
    await first?.commit?.(pageEnd('users', { keep: 'k' }), calm);
    assert.equal(keeps, ['k']);
  }
});

test.run();
