/** Traces of child jobs. docs/04-child-jobs.md#placeholders, docs/12-compatibility.md#filters. */
import { step, type Trace } from './trace.js';

const ids = (...numbers: readonly number[]) => numbers.map((id) => ({ id }));
const detail = (over: object = {}) => ({
  endpoint: 'user/{user-id}',
  dataField: '.',
  dataType: 'detail',
  placeholders: { 'user-id': 'id' },
  ...over,
});

export const children: readonly Trace[] = [
  {
    rule: 'each child begins the pagination anew, as a page of its own; the parent goes on where it was',
    api: {
      pagination: { method: 'pagenum', limit: '2', limitParam: 'itemsPerPage', firstPageParams: false },
    },
    jobs: [{ endpoint: 'users', dataField: 'items', children: [detail()] }],
    steps: [
      step('GET users', { items: ids(123, 234) }),
      step('GET user/123', { id: 123 }),
      step('GET user/234', { id: 234 }),
      step('GET users?page=2&itemsPerPage=2', { items: ids(345) }),
      step('GET user/345', { id: 345 }),
    ],
  },
  {
    rule: 'conditions hold in children too: each is one page, whatever the flag of its parent says',
    api: {
      pagination: {
        method: 'offset',
        limit: 1,
        firstPageParams: false,
        nextPageFlag: { field: 'hasMore', stopOn: false },
      },
    },
    jobs: [{ endpoint: 'users', dataField: 'items', children: [detail()] }],
    steps: [
      step('GET users', { items: ids(123), hasMore: true }),
      step('GET user/123', { id: 123 }),
      step('GET users?limit=1&offset=1', { items: ids(234), hasMore: false }),
      step('GET user/234', { id: 234 }),
    ],
  },
  {
    rule: 'a path of a placeholder leads into the row; the items of the child may lie at an index',
    jobs: [
      {
        endpoint: 'users',
        children: [detail({ placeholders: { 'user-id': 'info.ids.0' }, dataField: 'members.0.items' })],
      },
    ],
    steps: [step('GET users', [{ info: { ids: [7, 8] } }]), step('GET user/7', { members: [{ items: ids(1, 2) }] })],
    items: {
      detail: [
        { id: 1, 'parent_info.ids.0': 7 },
        { id: 2, 'parent_info.ids.0': 7 },
      ],
    },
  },
  {
    rule: 'a grandchild inherits the values of its parents by name, and reads an ancestor by level',
    jobs: [
      {
        endpoint: 'users',
        children: [
          {
            endpoint: 'user/{user}/orders',
            dataType: 'orders',
            placeholders: { user: 'id' },
            children: [
              {
                endpoint: 'user/{user}/order/{order}',
                dataField: '.',
                dataType: 'order',
                placeholders: { order: 'id' },
                children: [
                  {
                    endpoint: 'user/{3:own}/order/{order}/{tag}/{unknown}',
                    dataType: 'tags',
                    placeholders: { '3:own': 'id', tag: 'tag' },
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
    steps: [
      step('GET users', ids(1)),
      step('GET user/1/orders', ids(11, 12)),
      step('GET user/1/order/11', { tag: 'a b' }),
      step('GET user/1/order/11/a%20b/%7Bunknown%7D', []),
      step('GET user/1/order/12', { tag: 'x/y?z=1' }),
      step('GET user/1/order/12/x/y?z=1/%7Bunknown%7D', []),
    ],
    warnings: ['not-filled'],
  },
  {
    rule: 'a list gives a request an element, two lists one a pair, an empty list none',
    jobs: [
      {
        endpoint: 'users',
        children: [{ endpoint: 'tags/{tag}/{size}', dataType: 'tags', placeholders: { tag: 'tags', size: 'sizes' } }],
      },
    ],
    steps: [
      step('GET users', [
        { tags: ['a', 'b'], sizes: [1, 2] },
        { tags: [], sizes: [1] },
        { tags: 'c', sizes: [3] },
      ]),
      ...['a/1', 'a/2', 'b/1', 'b/2', 'c/3'].map((path) => step(`GET tags/${path}`, [])),
    ],
  },
  {
    rule: 'a placeholder may be computed: a number with leading zeros, a string for an address',
    jobs: [
      {
        endpoint: 'users',
        children: [
          detail({
            endpoint: 'user/{user-id}?q={name}',
            placeholders: {
              'user-id': { path: 'id', function: 'sprintf', args: ["%'.05d", { placeholder: 'value' }] },
              name: { path: 'name', function: 'urlencode', args: [{ placeholder: 'value' }] },
            },
          }),
        ],
      },
    ],
    steps: [
      step('GET users', [
        { id: 3, name: 'Ada & Co' },
        { id: '234', name: 'ü' },
      ]),
      step('GET user/00003?q=Ada+%26+Co', {}),
      step('GET user/00234?q=%C3%BC', {}),
    ],
  },
  {
    rule: 'like and not like, and binds tighter than or',
    jobs: [
      {
        endpoint: 'users',
        children: [
          detail({ endpoint: 'a/{user-id}', dataType: 'a', recursionFilter: 'type!~%ter%' }),
          detail({ endpoint: 'b/{user-id}', dataType: 'b', recursionFilter: 'role==parent|id>3&id<5' }),
        ],
      },
    ],
    steps: [
      step('GET users', [
        { id: 2, type: 'daughter', role: 'parent' },
        { id: 4, type: 'son', role: 'child' },
        { id: 10, type: 'sister', role: 'child' },
      ]),
      step('GET a/4', {}),
      step('GET b/2', {}),
      step('GET b/4', {}),
    ],
  },
  {
    rule: 'a child may be answered by an error that is ignored; its text is an item, and the next child is asked',
    api: { http: { ignoreErrors: ['404', 500] }, retryConfig: { maxRetries: 0 } },
    jobs: [{ endpoint: 'users', children: [detail()] }],
    steps: [
      step('GET users', ids(1, 2, 3)),
      step('GET user/1', { id: 1, age: 5 }),
      step('GET user/2', { status: 404, body: 'no such user' }),
      step('GET user/3', { status: 500, body: '{"message":"broken"}' }),
    ],
    items: {
      detail: [
        { id: 1, age: 5, parent_id: 1 },
        { errorData: 'no such user', parent_id: 2 },
        { message: 'broken', parent_id: 3 },
      ],
    },
  },
];
