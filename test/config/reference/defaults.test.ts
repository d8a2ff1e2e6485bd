/** Each default in the reference is the actual one: writing it out changes nothing. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJsonc } from '../../../src/config/document.js';
import { parseConfig } from '../../../src/config/parse-config.js';
import { sections } from '../../../src/config/sections.js';
import { type Exact, type ExactObject, emptyObject, isObject } from '../../../src/core/json/exact.js';
import type { Job } from '../../../src/core/model/job.js';
import type { Page } from '../../../src/core/model/page.js';
import type { AnyFields } from '../../../src/language/types.js';
import { paginators } from '../../../src/pagination/registry.js';
import type { Paginator } from '../../../src/pagination/types.js';
import { itemsOf } from '../../pagination/walk.js';
import { onlyOf } from '../fakes.js';

/** As in a configuration: a text that is no other JSON is a string. */
function exactOf(written: string): Exact {
  try {
    return parseJsonc(written, 'default');
  } catch {
    return written;
  }
}

const defaultsOf = (fields: AnyFields): ExactObject =>
  new Map(
    Object.entries(fields).flatMap(([key, field]) =>
      field.default === undefined ? [] : [[key, exactOf(field.default)] as const],
    ),
  );

const parsed = (api: ExactObject) =>
  onlyOf(
    parseConfig(
      new Map<string, Exact>([
        ['api', new Map<string, Exact>([['baseUrl', 'https://api.example.com/'], ...api])],
        ['config', new Map([['jobs', [new Map([['endpoint', 'users']])]]])],
      ]),
    ),
  );

const job: Job = {
  name: 'users',
  endpoint: 'users',
  params: new Map([['q', 'x']]),
  headers: new Map(),
  dataField: { kind: 'auto' },
  dataType: 'users',
};

const walked = {
  startedAt: 0,
  items: 100,
  volume: 0,
  address: 'https://api.example.com/users',
  headers: new Map([['link', ['<?page=2>; rel="next", <?page=9>; rel=last']]]),
  takenAt: 0,
};

/** What a scroller asks for first, and after pages of several sizes. */
function behaviour(scroller: Paginator) {
  const first = scroller.first(job);
  const memo = scroller.fold?.(undefined, itemsOf([{ id: 17 }])) ?? null;
  const envelope = new Map(scroller.captures.map(({ text }) => [text, { value: 'next', beside: [] }]));
  const pages = [0, 1, 100].flatMap((count) =>
    [0, 1].map((index): Page => ({ ...walked, request: first, index, count, received: count, envelope, memo })),
  );
  return [first, ...pages.map((page) => scroller.next(job, page))];
}

for (const [name, { fields, example }] of Object.entries(paginators)) {
  test(`the defaults of the method ${name} hold`, () => {
    const options = parseJsonc(example, name);
    const given: ExactObject = isObject(options) ? options : emptyObject;
    const bare = new Map([...given].filter(([key]) => !defaultsOf(fields).has(key)));
    const behaviours = [bare, new Map([...defaultsOf(fields), ...bare])].map((pagination) =>
      behaviour(parsed(new Map([['pagination', pagination]])).paginator),
    );
    assert.equal(behaviours[1], behaviours[0]);
  });
}

test('the defaults of retries hold', () => {
  const { fields } = sections['api.retryConfig'];
  const inner = ['http', 'curl'].map((key) => {
    const schema = Object.entries(fields).find(([each]) => each === key)?.[1].type.schema as AnyFields; // made by `shape`
    return [key, defaultsOf(schema)] as const;
  });
  assert.ok(inner.every(([, defaults]) => defaults.size > 0));
  const retryConfig = new Map<string, Exact>([...defaultsOf(fields), ...inner]);
  // A `maxRetries` that is written counts for a server that is not there, too, whatever its value.
  const { longestAbsence, ...unwritten } = parsed(emptyObject).retry;
  assert.is(longestAbsence, 10_000);
  assert.equal(parsed(new Map([['retryConfig', retryConfig]])).retry, unwritten);
});

test.run();
