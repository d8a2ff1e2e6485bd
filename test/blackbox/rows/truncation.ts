/** Black-box rows: what tells that data may be missing, and bounds of a run. */
import { items } from '../../loopback/api.js';
import { lines, type Row, step } from '../row.js';

const paged = { pagination: { method: 'pagenum', limit: 2 } };

export const truncationRows: readonly Row[] = [
  {
    rule: 'bounds: --max-items cuts to the item, publishes, and says that items may be missing',
    api: paged,
    steps: [step('GET /users?page=1&limit=2', items(1, 2)), step('GET /users?page=2&limit=2', items(3, 2))],
    args: ['--max-items', '3', '--quiet'],
    files: { users: lines(...items(1, 3)) },
    says: [/^warning: users: ended by a bound of this run \(maxItems: 3 items\).*items may be missing/m],
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
    rule: 'bounds: under --strict one that is reached is an error',
    api: paged,
    steps: [step('GET /users?page=1&limit=2', items(1, 2))],
    args: ['--max-pages', '1', '--strict'],
    exit: 1,
    files: {},
    partial: { users: lines(...items(1, 2)) },
    says: [/ERR_STRICT/],
  },
  {
    rule: 'bounds: one that is meant is allowed',
    api: paged,
    steps: [step('GET /users?page=1&limit=2', items(1, 2))],
    args: ['--max-pages', '1', '--strict', '--allow', 'bound-reached'],
    files: { users: lines(...items(1, 2)) },
  },
  {
    rule: 'bounds: a warning that there is not cannot be allowed',
    api: paged,
    steps: [],
    args: ['--allow', 'bound-reach'],
    exit: 1,
    says: [/no warning is called "bound-reach"; did you mean "bound-reached"\?/],
  },
];
