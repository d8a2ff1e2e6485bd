/**
 * Black-box rows: stopping conditions, and a choice of methods; docs/03-pagination.md#ending-sooner,
 * docs/03-pagination.md#multiple.
 */
import { items, rawJson } from '../../loopback/api.js';
import { lines, type Row, step } from '../row.js';

const paged = (stops: object) => ({ pagination: { method: 'pagenum', ...stops } });
const users = (count: number) => ({ users: lines(...items(1, count)) });
const rows = { jobs: [{ endpoint: 'users', dataType: 'users', dataField: 'rows' }] };
const page = (id: number, count: number, more: object) => ({ rows: items(id, count), ...more });

const scrollers = {
  pages: { method: 'pagenum', limit: 2 },
  skip: { method: 'offset', limit: 2, forceStop: { pages: 1 } },
  links: { method: 'response.url', urlKey: 'next' },
};

export const stopRows: readonly Row[] = [
  {
    rule: 'limitStop ends at so many items, those of the last page kept, in each job anew',
    api: paged({ limitStop: { count: 3 } }),
    config: { jobs: ['users', 'people'].map((endpoint) => ({ endpoint, dataType: endpoint })) },
    args: ['--concurrency', '1'],
    steps: [
      step('GET /users?page=1', items(1, 2)),
      step('GET /users?page=2', items(3, 2)),
      step('GET /people?page=1', items(1, 3)),
    ],
    files: { users: lines(...items(1, 4)), people: lines(...items(1, 3)) },
  },
  {
    rule: 'the number of limitStop may stand in each response',
    api: paged({ limitStop: { field: 'paging.total' } }),
    config: rows,
    steps: [
      step('GET /users?page=1', page(1, 2, { paging: { total: '4' } })),
      step('GET /users?page=2', page(3, 2, { paging: { total: 4 } })),
    ],
    files: users(4),
  },
  {
    rule: 'forceStop fetches so many pages and no more',
    api: paged({ forceStop: { pages: '2' } }),
    steps: [step('GET /users?page=1', items(1, 1)), step('GET /users?page=2', items(2, 1))],
    files: users(2),
  },
  {
    rule: 'forceStop goes on at a volume of its limit, counted as the reference program would write the page',
    api: paged({ forceStop: { volume: '[{"id":"a\\/b"}]'.length } }),
    steps: [
      step('GET /users?page=1', rawJson(' [ { "id" : "a/b" } ]\n')),
      step('GET /users?page=2', rawJson('[{"id":"\\u0061"}]')),
    ],
    files: { users: '{"id":"a/b"}\n{"id":"\\u0061"}\n' },
  },
  {
    rule: 'nextPageFlag ends where the flag says so, whatever else there is',
    api: paged({ nextPageFlag: { field: 'isLast', stopOn: true, ifNotSet: false } }),
    config: rows,
    steps: [step('GET /users?page=1', page(1, 1, {})), step('GET /users?page=2', page(2, 1, { isLast: 'yes' }))],
    files: users(2),
  },
  {
    rule: 'a flag may be the list of items itself, however large',
    api: paged({ nextPageFlag: { field: 'rows', stopOn: false } }),
    config: rows,
    steps: [step('GET /users?page=1', page(1, 20_000, {})), step('GET /users?page=2', page(1, 0, {}))],
    files: users(20_000),
  },
  {
    rule: 'without a method there is one request, and its conditions are looked at all the same',
    api: { pagination: { limitStop: { count: 1, field: 'x' } } },
    steps: [],
    exit: 1,
    says: [/api\.pagination\.limitStop: expected one of "count"/],
  },
  {
    rule: 'each job has the method that it names, or the default; conditions within hold for their own alone',
    api: { pagination: { method: 'multiple', scrollers, default: 'pages' } },
    config: {
      jobs: [
        { endpoint: 'users', dataType: 'users' },
        { endpoint: 'a', dataType: 'a', scroller: 'skip' },
        { endpoint: 'b', dataType: 'b', dataField: 'rows', scroller: 'links' },
      ],
    },
    args: ['--concurrency', '1'],
    steps: [
      step('GET /users?page=1&limit=2', items(1, 2)),
      step('GET /users?page=2&limit=2', items(3, 1)),
      step('GET /a?limit=2&offset=0', items(1, 2)),
      step('GET /b', page(1, 1, { next: '/b/2' })),
      step('GET /b/2', page(2, 1, {})),
    ],
    files: { users: lines(...items(1, 3)), a: lines(...items(1, 2)), b: lines(...items(1, 2)) },
  },
  {
    rule: 'without a name and without a default there is one request',
    api: { pagination: { method: 'multiple', scrollers } },
    steps: [step('GET /users', items(1, 2))],
    files: users(2),
  },
  {
    rule: 'a name that means nothing is reported before any request, with all names',
    api: { pagination: { method: 'multiple', scrollers } },
    config: { jobs: [{ endpoint: 'users' }, { endpoint: 'a', scroller: 'link' }] },
    steps: [],
    exit: 1,
    says: [/config\.jobs\[1\]\.scroller: .*"pages", "skip", "links".*did you mean "links"/],
  },
];
