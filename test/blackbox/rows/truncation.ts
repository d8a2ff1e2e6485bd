/** Black-box rows: signs that data may be missing, and limits of a run. */
import { items } from '../../loopback/api.js';
import { lines, type Row, step } from '../row.js';

const paged = { pagination: { method: 'pagenum', limit: 2 } };

export const truncationRows: readonly Row[] = [
  {
    rule: 'a total that differs from what came is a warning, with its place and both figures',
    api: paged,
    steps: [step('GET /users?page=1&limit=2', { meta: { total: 250 }, items: items(1, 1) })],
    files: { users: lines(...items(1, 1)) },
    says: [
      /^warning: users, page 1: the API reports 250 items \("meta\.total"\), but 1 arrived: data may be missing \[total-mismatch\]$/m,
    ],
  },
  {
    rule: 'a total that differs is an error under --strict, and publishes nothing',
    api: { pagination: { ...paged.pagination, totalKey: 'n' } },
    steps: [step('GET /users?page=1&limit=2', { n: 250, items: items(1, 1) })],
    args: ['--strict'],
    exit: 1,
    files: {},
    partial: { users: lines(...items(1, 1)) },
    says: [/ERR_STRICT/, /reports 250 items \("n"\)/],
  },
  {
    rule: 'a round end is a warning, unless it is allowed',
    steps: [step('GET /users', items(1, 100))],
    files: { users: lines(...items(1, 100)) },
    says: [/^warning: users, page 1: the only page has exactly 100 items/m],
  },
  {
    rule: 'a round end that is allowed goes through --strict',
    steps: [step('GET /users', items(1, 100))],
    args: ['--strict', '--allow', 'round-end'],
    files: { users: lines(...items(1, 100)) },
  },
  {
    rule: 'a next page that no one asks for is a warning',
    steps: [step('GET /users', { has_more: true, items: items(1, 2) })],
    files: { users: lines(...items(1, 2)) },
    says: [/^warning: users, page 1: the API declares a next page \("has_more"\)/m],
  },
  {
    rule: 'bounds: --max-items cuts to the item, publishes, and the table names it',
    api: paged,
    steps: [step('GET /users?page=1&limit=2', items(1, 2)), step('GET /users?page=2&limit=2', items(3, 2))],
    args: ['--max-items', '3'],
    files: { users: lines(...items(1, 3)) },
    says: [/^users .*maxItems: 3 items$/m],
  },
  {
    rule: 'bounds: --max-pages ends each job of a run in order',
    api: paged,
    config: {
      jobs: [
        { endpoint: 'users', dataType: 'users' },
        { endpoint: 'orders', dataType: 'orders' },
      ],
    },
    steps: [step('GET /users?page=1&limit=2', items(1, 2)), step('GET /orders?page=1&limit=2', items(1, 2))],
    args: ['--max-pages', '1', '--max-duration', '1h'],
    files: { users: lines(...items(1, 2)), orders: lines(...items(1, 2)) },
    says: [/^users .*maxPages: 1 page$/m, /^orders .*maxPages: 1 page$/m],
  },
  {
    rule: 'bounds: one that is reached is no warning, so --strict accepts it',
    api: paged,
    steps: [step('GET /users?page=1&limit=2', items(1, 2))],
    args: ['--max-pages', '1', '--strict'],
    files: { users: lines(...items(1, 2)) },
    says: [/^users .*maxPages: 1 page$/m],
  },
  {
    rule: 'bounds: --allow still knows the warning that it was',
    api: paged,
    steps: [step('GET /users?page=1&limit=2', items(1, 2))],
    args: ['--max-pages', '1', '--strict', '--allow', 'bound-reached'],
    files: { users: lines(...items(1, 2)) },
  },
  {
    rule: 'bounds: a warning that there is not cannot be allowed',
    api: paged,
    steps: [],
    args: ['--allow', 'round-en'],
    exit: 1,
    says: [/unknown warning "round-en"; did you mean "round-end"\?/],
  },
];
