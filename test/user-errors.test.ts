/** Every user error of the rules, chapter by chapter: the configuration or the answer that provokes it, its code, its place, and what it names. */
import { test } from 'uvu';
import { api } from './user-errors/api.js';
import { documents } from './user-errors/documents.js';
import { provoke } from './user-errors/row.js';

for (const row of [...documents, ...api]) {
  test(row.rule, () => provoke(row));
}

test.run();
