/** Every user error of the rules, chapter by chapter: the configuration or the answer that provokes it, its code, its place, and what it names. */
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from './rules/sources.js';
import { answers } from './user-errors/answers.js';
import { api } from './user-errors/api.js';
import { authentication } from './user-errors/authentication.js';
import { documents } from './user-errors/documents.js';
import { elsewhere } from './user-errors/elsewhere.js';
import { functions } from './user-errors/functions.js';
import { jobs } from './user-errors/jobs.js';
import { pagination } from './user-errors/pagination.js';
import { provoke } from './user-errors/row.js';

for (const row of [...documents, ...api, ...authentication, ...functions, ...pagination, ...jobs, ...answers]) {
  test(row.rule, () => provoke(row));
}

for (const [rule, file, name] of elsewhere) {
  test(`${rule}: ${file} has it`, () => assert.ok(readFileSync(`${root}/${file}`, 'utf8').includes(name)));
}

test.run();
