/**
 * Every user error of the rules by chapter: the configuration or the response that causes it, its code, its place, and
 * what it names.
 */
import { test } from 'uvu';
import { testWhere } from '../where.js';
import { answers } from './answers.js';
import { api } from './api.js';
import { authentication } from './authentication.js';
import { documents } from './documents.js';
import { functions } from './functions.js';
import { jobs } from './jobs.js';
import { pagination } from './pagination.js';
import { provoke } from './row.js';
import { surroundings } from './surroundings.js';

for (const row of [...documents, ...api, ...authentication, ...functions, ...pagination, ...jobs, ...answers]) {
  test(row.rule, () => provoke(row));
}

for (const { rule, missing, provoke } of surroundings) testWhere(missing)(rule, provoke);

test.run();
