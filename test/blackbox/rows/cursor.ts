/** Black-box rows: the highest or lowest id so far; docs/03-pagination.md#cursor. */
import { rawJson } from '../../loopback/api.js';
import { lines, type Row, step } from '../row.js';

const since = (options: object = {}) => ({ pagination: { method: 'cursor', idKey: 'id', param: 'since', ...options } });
const job = (more: object) => ({ jobs: [{ endpoint: 'users', dataType: 'users', ...more }] });
const ids = (...values: readonly unknown[]) => values.map((id) => ({ id }));

export const cursorRows: readonly Row[] = [
  {
    rule: 'asks from the highest id so far on, in place among the parameters of the job, until a page is empty',
    api: since({ increment: 1 }),
    config: job({ params: { since: 'first', account: 123 } }),
    steps: [
      step('GET /users?since=first&account=123', ids(5, 17, 3)),
      step('GET /users?since=18&account=123', ids(18)),
      step('GET /users?since=19&account=123', []),
    ],
    files: { users: lines(...ids(5, 17, 3, 18)) },
  },
  {
    rule: 'with reverse the lowest id counts, over all pages; an empty list at dataField is the end',
    api: since({ reverse: true, increment: '-1', idKey: 'key.id' }),
    config: job({ dataField: 'rows' }),
    steps: [
      step('GET /users', { rows: [{ key: { id: '40' } }, { key: { id: 30 } }] }),
      step('GET /users?since=29', { rows: [{ key: { id: 35 } }] }),
      step('GET /users?since=29', { rows: [] }),
    ],
  },
  {
    rule: 'ids of 19 digits stay exact',
    api: since({ increment: 1 }),
    steps: [
      step('GET /users', rawJson('[{"id":9007199254740993123},{"id":9007199254740993124}]')),
      step('GET /users?since=9007199254740993125', []),
    ],
    files: { users: '{"id":9007199254740993123}\n{"id":9007199254740993124}\n' },
  },
  {
    rule: 'with POST the cursor is a number in the body',
    api: since(),
    config: job({ method: 'POST' }),
    steps: [step('POST /users', ids('7'), { body: '[]' }), step('POST /users', [], { body: '{"since":7}' })],
  },
  {
    rule: 'an id that is no number is an error that shows it',
    api: since(),
    steps: [step('GET /users', ids(1, 'a17'))],
    exit: 1,
    says: [/ERR_PAGINATION/, /"a17"/],
  },
];
