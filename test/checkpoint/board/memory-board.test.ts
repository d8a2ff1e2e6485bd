/** The board of the tests keeps the rules of all boards: what is tested over it holds for them. */
import { test } from 'uvu';
import { boardRules } from './board-kit.js';
import { leaseOfMemory, memoryBoard } from './memory-board.js';

for (const [name, rule] of Object.entries(boardRules)) {
  test(name, () => {
    const { connect, pass } = memoryBoard();
    return rule({ connect, lapse: async () => pass(leaseOfMemory), pass: async (ms) => pass(ms) });
  });
}

test.run();
