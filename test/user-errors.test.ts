/** Every user error of the rules, chapter by chapter: the configuration or the answer that provokes it, its code, its place, and what it names. */
import { test } from 'uvu';
import { answers } from './user-errors/answers.js';
import { api } from './user-errors/api.js';
import { authentication } from './user-errors/authentication.js';
import { documents } from './user-errors/documents.js';
import { functions } from './user-errors/functions.js';
import { jobs } from './user-errors/jobs.js';
import { pagination } from './user-errors/pagination.js';
import { provoke } from './user-errors/row.js';
import { surroundings } from './user-errors/surroundings.js';
import { testWhere } from './where.js';

for (const row of [...documents, ...api, ...authentication, ...functions, ...pagination, ...jobs, ...answers]) {
  test(row.rule, () => provoke(row));
}

for (const { rule, missing, provoke } of surroundings) testWhere(missing)(rule, provoke);

test.run();
