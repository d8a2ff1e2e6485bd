/** The keys of `await`: a report that an API makes on demand. docs/14-any-response.md#reports. */
import { emptyObject, isNumber } from '../../core/json/exact.js';
import { kind, type OptionRows } from '../../core/options/kind.js';
import { objectOf } from '../../core/options/object-kinds.js';
import { parseDuration } from '../../core/options/units.js';
import { conditionFields } from '../../language/condition/read-condition.js';
import { parameters } from '../../language/expression-kinds.js';
import { endpoint, method, nonEmptyStringOrPath, object } from '../../language/kinds.js';
import { nameOfHeader } from '../../pagination/response-header.js';

/** In ms. */
const time = kind<number>('a time such as 5s, 10m or 1h', (value) => typeof value === 'number' && value > 0, {
  fromExact(value) {
    if (isNumber(value)) return Number(value.text) * 1000;
    return typeof value === 'string' ? (parseDuration(value, 's') ?? value) : value;
  },
  schema: { type: ['string', 'number'], minLength: 1, exclusiveMinimum: 0 },
});

const factor = kind<number>('a number from 1 up', (value) => typeof value === 'number' && value >= 1, {
  fromExact: (value) => (isNumber(value) ? Number(value.text) : value),
  schema: { type: 'number', minimum: 1 },
});

const address = 'the URL; `{NAME}` is the value at that path in the response of `create`';

export const requestFields = {
  method: { kind: method, emptyIsAbsent: true, default: 'GET', summary: 'the HTTP method' },
  endpoint: { kind: endpoint, required: true, summary: address },
  params: {
    kind: parameters('attr', 'time', 'incremental'),
    default: emptyObject,
    emptyIsAbsent: true,
    summary: 'request parameters',
  },
  headers: { kind: object, default: emptyObject, emptyIsAbsent: true, summary: 'request headers, sent unchanged' },
} satisfies OptionRows;

export const createFields = {
  ...requestFields,
  method: { ...requestFields.method, default: 'POST' },
  idempotencyKey: {
    kind: nameOfHeader,
    summary: 'the header for a key that is the same however often the run sends the request',
  },
} satisfies OptionRows;

export const pollFields = {
  ...requestFields,
  every: { kind: time, otherwise: '`5s`', summary: 'the wait between two polls' },
  backoff: { kind: factor, otherwise: '1', summary: 'each wait is so many times the one before it, up to 5 minutes' },
  timeout: { kind: time, otherwise: '`1h`', summary: 'how long to poll' },
} satisfies OptionRows;

export const deleteFields = {
  ...requestFields,
  method: { ...requestFields.method, default: 'DELETE' },
} satisfies OptionRows;

export const fetchFields = {
  ...requestFields,
  endpoint: {
    kind: endpoint,
    otherwise: 'no request: `path` is in the last poll',
    summary: `${address} or of the last poll`,
  },
  path: {
    kind: nonEmptyStringOrPath,
    otherwise: 'the response has the items',
    summary: 'the path of the link to the items, or of a list of links',
  },
} satisfies OptionRows;

export const awaitFields = {
  create: { kind: objectOf(createFields), required: true, summary: 'the request that creates the report' },
  poll: { kind: objectOf(pollFields), required: true, summary: 'the request that says whether it is done' },
  done: { kind: objectOf(conditionFields), required: true, summary: 'the condition on a poll: the report is done' },
  failed: { kind: objectOf(conditionFields), summary: 'the condition on a poll: there will be no report' },
  fetch: { kind: objectOf(fetchFields), required: true, summary: 'where the items are: a request, or links' },
  delete: { kind: objectOf(deleteFields), summary: 'the request that removes the report after its items are written' },
} satisfies OptionRows;

export const awaitType = objectOf(awaitFields);
