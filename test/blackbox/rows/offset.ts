/**
 * Black-box rows: counting items; docs/03-pagination.md#offset, docs/12-compatibility.md#how-conflicts-were-decided.
 */
import { items } from '../../loopback/api.js';
import { lines, type Row, step } from '../row.js';

const skipping = (options: object = {}) => ({ pagination: { method: 'offset', limit: 2, ...options } });
const job = (params: object) => ({ jobs: [{ endpoint: 'users', dataType: 'users', params }] });
const users = (count: number) => ({ users: lines(...items(1, count)) });

export const offsetRows: readonly Row[] = [
  {
    rule: 'each request carries limit and offset, behind the parameters of the job; a short page is the end',
    api: skipping(),
    config: job({ sort: 'id' }),
    steps: [
      step('GET /users?sort=id&limit=2&offset=0', items(1, 2)),
      step('GET /users?sort=id&limit=2&offset=2', items(3, 1)),
    ],
    files: users(3),
  },
  {
    rule: "the job's own limit and, with offsetFromJob, its offset stand where the job has them",
    api: skipping({ limitParam: 'count', offsetParam: 'skip', offsetFromJob: true }),
    config: job({ count: 5, skip: 2 }),
    steps: [step('GET /users?count=5&skip=2', items(1, 5)), step('GET /users?count=5&skip=7', [])],
    files: users(5),
  },
  {
    rule: 'firstPageParams false leaves the first request as it is',
    api: skipping({ firstPageParams: false }),
    steps: [step('GET /users', items(1, 2)), step('GET /users?limit=2&offset=2', items(3, 1))],
    files: users(3),
  },
  {
    rule: 'with POST limit and offset are members of the body',
    api: skipping(),
    config: { jobs: [{ endpoint: 'users', dataType: 'users', method: 'POST', params: { q: 'a/b' } }] },
    steps: [step('POST /users', items(1, 1), { body: '{"q":"a\\/b","limit":2,"offset":0}' })],
    files: users(1),
  },
  {
    rule: 'a page equal to the one before ends the walk and is not stored',
    api: skipping(),
    steps: [
      step('GET /users?limit=2&offset=0', items(1, 2)),
      step('GET /users?limit=2&offset=2', items(3, 2)),
      step('GET /users?limit=2&offset=4', items(3, 2)),
    ],
    files: users(4),
  },
  {
    rule: 'a limit that is no number is refused before any request',
    api: skipping({ limit: 'all' }),
    steps: [],
    exit: 1,
    says: [/api\.pagination\.limit: expected a whole number from 1 up/],
  },
];
