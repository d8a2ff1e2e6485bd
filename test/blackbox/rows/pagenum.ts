/** Black-box rows: pagination by page number; docs/03-pagination.md#pagenum, docs/01-configuration.md#jobs. */
import { items } from '../../loopback/api.js';
import { lines, type Row, step } from '../row.js';

type Options = Readonly<Record<string, unknown>>;

const paged = (more: Options = {}) => ({ pagination: { method: 'pagenum', ...more } });
const job = (more: Options) => ({ jobs: [{ endpoint: 'users', dataType: 'users', ...more }] });
const users = (count: number) => ({ users: lines(...items(1, count)) });

/** Some 3 MB of items: several batches. */
const large = (text: string): readonly unknown[] =>
  Array.from({ length: 3001 }, (_, id) => ({ id, text: text.repeat(1000) }));

export const pagenumRows: readonly Row[] = [
  {
    rule: 'by default the first request has page=1, the second page=2, and so on',
    api: paged(),
    steps: [
      step('GET /users?page=1', items(1, 2)),
      step('GET /users?page=2', items(3, 2)),
      step('GET /users?page=3', []),
    ],
    files: users(4),
  },
  {
    rule: 'without limit a shorter page does not end it, only an empty one',
    api: paged(),
    steps: [
      step('GET /users?page=1', items(1, 3)),
      step('GET /users?page=2', items(4, 1)),
      step('GET /users?page=3', items(5, 2)),
      step('GET /users?page=4', []),
    ],
    files: users(6),
  },
  {
    rule: 'every request carries the limit; a page shorter than it ends the walk',
    api: paged({ limit: 2 }),
    steps: [step('GET /users?page=1&limit=2', items(1, 2)), step('GET /users?page=2&limit=2', items(3, 1))],
    files: users(3),
  },
  {
    rule: 'with limit an empty page ends it as well',
    api: paged({ limit: 2 }),
    steps: [step('GET /users?page=1&limit=2', items(1, 2)), step('GET /users?page=2&limit=2', [])],
    files: users(2),
  },
  {
    rule: 'what counts is the items at dataField',
    api: paged({ limit: 2 }),
    config: job({ dataField: 'rows' }),
    steps: [
      step('GET /users?page=1&limit=2', { a: 1, b: 2, c: 3, rows: items(1, 2) }),
      step('GET /users?page=2&limit=2', { a: 1, b: 2, c: 3, rows: items(3, 1) }),
    ],
    files: users(3),
  },
  {
    rule: 'limitParam and pageParam name the parameters',
    api: paged({ limit: 2, limitParam: 'count', pageParam: 'set' }),
    steps: [step('GET /users?set=1&count=2', items(1, 2)), step('GET /users?set=2&count=2', items(3, 1))],
    files: users(3),
  },
  {
    rule: 'limit and firstPage may be numeric strings',
    api: paged({ limit: '2', firstPage: '3' }),
    steps: [step('GET /users?page=3&limit=2', items(1, 2)), step('GET /users?page=4&limit=2', items(3, 1))],
    files: users(3),
  },
  {
    rule: 'firstPage is the index of the first page',
    api: paged({ firstPage: 0 }),
    steps: [step('GET /users?page=0', items(1, 1)), step('GET /users?page=1', [])],
    files: users(1),
  },
  {
    rule: 'without firstPageParams the first request carries neither page nor limit',
    api: paged({ limit: 2, firstPageParams: false }),
    steps: [
      step('GET /users', items(1, 2)),
      step('GET /users?page=2&limit=2', items(3, 2)),
      step('GET /users?page=3&limit=2', items(5, 1)),
    ],
    files: users(5),
  },
  {
    rule: 'with firstPage 0 and without firstPageParams the second request has page index 1',
    api: paged({ firstPage: 0, firstPageParams: false }),
    steps: [step('GET /users', items(1, 1)), step('GET /users?page=1', items(2, 1)), step('GET /users?page=2', [])],
    files: users(2),
  },
  {
    rule: 'a job parameter of the name of the limit overrides it, and pages are measured by it',
    api: paged({ limit: 2, limitParam: 'count' }),
    config: job({ params: { count: 3 } }),
    steps: [step('GET /users?count=3&page=1', items(1, 3)), step('GET /users?count=3&page=2', items(4, 2))],
    files: users(5),
  },
  {
    rule: 'a job limit as a numeric string overrides it too',
    api: paged({ limit: 2 }),
    config: job({ params: { limit: '3' } }),
    steps: [step('GET /users?limit=3&page=1', items(1, 3)), step('GET /users?limit=3&page=2', items(4, 1))],
    files: users(4),
  },
  {
    rule: 'a job limit that is no number counts as unknown, with a warning',
    api: paged({ limit: 2 }),
    config: job({ params: { limit: 'all' } }),
    steps: [
      step('GET /users?limit=all&page=1', items(1, 1)),
      step('GET /users?limit=all&page=2', items(2, 1)),
      step('GET /users?limit=all&page=3', []),
    ],
    files: users(2),
    says: [/warning/i],
  },
  {
    rule: 'the limit beats a default parameter of the same name',
    api: { ...paged({ limit: 2 }), http: { defaultOptions: { params: { limit: 50 } } } },
    steps: [step('GET /users?limit=2&page=1', items(1, 1))],
    files: users(1),
  },
  {
    rule: 'the page number beats a job parameter of the same name',
    api: paged(),
    config: job({ params: { page: 7, sort: 'id' } }),
    steps: [step('GET /users?page=1&sort=id', items(1, 1)), step('GET /users?page=2&sort=id', [])],
    files: users(1),
  },
  {
    rule: 'job parameters go with every page',
    api: paged({ limit: 1 }),
    config: job({ params: { sort: 'id' } }),
    steps: [step('GET /users?sort=id&page=1&limit=1', items(1, 1)), step('GET /users?sort=id&page=2&limit=1', [])],
    files: users(1),
  },
  {
    rule: 'with POST the page parameters go into the JSON body',
    api: paged({ limit: 1 }),
    config: job({ method: 'POST', params: { sort: 'id' } }),
    steps: [
      step('POST /users', items(1, 1), { body: '{"sort":"id","page":1,"limit":1}' }),
      step('POST /users', [], { body: '{"sort":"id","page":2,"limit":1}' }),
    ],
    files: users(1),
  },
  {
    rule: 'with FORM the page parameters go into the urlencoded body',
    api: paged({ limit: 1 }),
    config: job({ method: 'FORM' }),
    steps: [
      step('POST /users', items(1, 1), { body: 'page=1&limit=1' }),
      step('POST /users', [], { body: 'page=2&limit=1' }),
    ],
    files: users(1),
  },
  {
    rule: 'each job starts at the first page',
    api: paged({ limit: 2 }),
    config: { jobs: ['a', 'b'].map((endpoint) => ({ endpoint, dataType: endpoint })) },
    args: ['--concurrency', '1'],
    steps: [
      step('GET /a?page=1&limit=2', items(1, 2)),
      step('GET /a?page=2&limit=2', items(3, 1)),
      step('GET /b?page=1&limit=2', items(1, 1)),
    ],
    files: { a: lines(...items(1, 3)), b: lines(...items(1, 1)) },
  },
  {
    rule: 'a page equal to the one before ends the job, and is not delivered',
    api: paged(),
    steps: [
      step('GET /users?page=1', items(1, 2)),
      step('GET /users?page=2', items(3, 2)),
      step('GET /users?page=3', items(3, 2)),
    ],
    files: users(4),
  },
  {
    rule: 'a page of several MB equal to the one before is not delivered either',
    api: paged(),
    steps: [
      step('GET /users?page=1', large('a')),
      step('GET /users?page=2', large('b')),
      step('GET /users?page=3', large('b')),
    ],
    files: { users: lines(...large('a'), ...large('b')) },
  },
  {
    rule: 'a page of several MB that differs from the one before in its last item alone is delivered',
    api: paged(),
    steps: [
      step('GET /users?page=1', large('a')),
      step('GET /users?page=2', [...large('a'), { id: 'last' }]),
      step('GET /users?page=3', []),
    ],
    files: { users: lines(...large('a'), ...large('a'), { id: 'last' }) },
  },
  {
    rule: 'equal items in a page that differs elsewhere are no repeated page',
    api: paged(),
    config: job({ dataField: 'rows' }),
    steps: [
      step('GET /users?page=1', { at: 1, rows: [{ id: 1 }] }),
      step('GET /users?page=2', { at: 2, rows: [{ id: 1 }] }),
      step('GET /users?page=3', { at: 3, rows: [] }),
    ],
    files: { users: lines({ id: 1 }, { id: 1 }) },
    says: [/repeated-items/],
  },
  {
    rule: 'a round of two pages that goes round whole is an error',
    api: paged(),
    steps: [
      step('GET /users?page=1', items(1, 2)),
      step('GET /users?page=2', items(3, 2)),
      step('GET /users?page=3', items(1, 2)),
      step('GET /users?page=4', items(3, 2)),
    ],
    exit: 1,
    says: [/ERR_LOOP|loop|round|circle/i],
  },
];
