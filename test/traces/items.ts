/** Traces of where items are: one answer each. docs/12-compatibility.md#items. */
import { step, type Trace } from './trace.js';

const ada = { id: 1, name: 'Ada' };
const alan = { id: 2, name: 'Alan' };

/** The response to the only job, and the expected items. */
const found = (rule: string, dataField: unknown, answer: unknown, users: readonly unknown[]): Trace => ({
  rule: `${rule}`,
  jobs: [{ endpoint: 'users', dataField }],
  steps: [step('GET users', answer)],
  items: { users },
});

const nothing = (rule: string, dataField: unknown, answer: unknown, ...warnings: readonly string[]): Trace => ({
  ...found(rule, dataField, answer, []),
  warnings,
});

export const items: readonly Trace[] = [
  found('a list is the list of items', undefined, [ada, alan], [ada, alan]),
  found('the only list of an object is it, whatever stands beside it', '', { count: 2, people: [ada, alan] }, [
    ada,
    alan,
  ]),
  found('of two lists the one that is named', 'people', { groups: [{ id: 9 }], people: [ada, alan] }, [ada, alan]),
  found('a list below an object', 'data.people', { data: { people: [ada] }, more: { people: [alan] } }, [ada]),
  found('the second of two lists below an object', 'data.people', { data: { groups: [1], people: [ada] } }, [ada]),
  found('the whole answer as one item, its lists with it', '.', { ...ada, tags: ['a', 'b'] }, [
    { ...ada, tags: ['a', 'b'] },
  ]),
  found('the whole answer, where that is a list', '.', [ada, alan], [ada, alan]),
  found('one object below another is one item', 'user', { user: ada }, [ada]),
  found('one object in a list, by its index', '1', [ada, alan], [alan]),
  found('"0" is empty, so that the list is searched for', '0', { people: [ada, alan] }, [ada, alan]),
  found('a list in an object in a list', '0.people', [{ people: [ada, alan] }, { people: [] }], [ada, alan]),
  found('a list in a list in an object', 'rows.1', { rows: [[ada], [alan]] }, [alan]),
  found(
    'a path with a delimiter of its own',
    { path: 'data.v1/people', delimiter: '/' },
    { 'data.v1': { people: [ada] } },
    [ada],
  ),
  found('a single value is an item', 'names', { names: ['Ada', 'Alan', 3, null] }, ['Ada', 'Alan', 3, null]),
  found('an empty list is no item, and no warning', undefined, [], []),
  found('an empty object that is named is an item', 'user', { user: {} }, [{}]),
  nothing('an object without a list', undefined, { data: { people: [ada] } }, 'no-list'),
  ...[undefined, null, '', '0', 0, false].map((value) =>
    nothing(`${JSON.stringify(value) ?? 'what is absent'} where a path leads`, 'people', { people: value }, 'no-data'),
  ),
];
