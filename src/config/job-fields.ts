/** The keys of a job and of a child job, as they are read and described. docs/01-configuration.md#jobs. */
import { coerce, unknown } from 'superstruct';
import { type Exact, type ExactObject, isNumber } from '../core/json/exact.js';
import type { Method } from '../core/model/request.js';
import { expressions, parameters } from '../language/expression-fields.js';
import { endpointOrBase, method, object, opaque, text, truth } from '../language/fields.js';
import {
  type JsonForm,
  objectOr,
  objectOrEmptyList,
  singleValue,
  when,
  withJsonSchema,
} from '../language/json-schema.js';
import type { Fields } from '../language/types.js';
import { dataFieldType } from './data-field.js';

const path = { type: ['string', 'number'], minLength: 1 };

/** A path, or an object of a path and what makes a value of what lies there. */
const placeholdersForm: JsonForm = (write) => {
  const each = write.expression(['placeholder']);
  const args = { type: ['array', 'object', 'null'], items: each, additionalProperties: each };
  const calling = {
    allOf: [write.part('call.placeholders')],
    properties: { path, function: true, args },
    required: ['path'],
    additionalProperties: false,
  };
  const itself = {
    properties: { path, placeholder: { const: 'value' } },
    required: ['path', 'placeholder'],
    additionalProperties: false,
  };
  const made = { type: 'object', ...when({ required: ['function'] }, calling, itself) };
  return { ...objectOrEmptyList, additionalProperties: objectOr(made, path) };
};

export interface JobOptions {
  readonly endpoint: string;
  readonly method?: Method;
  readonly params?: ExactObject;
  readonly headers?: ExactObject;
  readonly dataField?: Exact;
  readonly dataType?: string;
  readonly scroller?: string;
  readonly pagination?: Exact;
  readonly id?: string;
  readonly responseFilter?: Exact;
  readonly responseFilterDelimiter?: string;
  readonly userData?: Exact;
  readonly children?: Exact;
  readonly placeholders?: Exact;
  readonly recursionFilter?: string;
  readonly allowRepeatedItems?: boolean;
}

/** A text, or a number as its digits. */
const label = withJsonSchema(
  coerce(text, unknown(), (value) => (isNumber(value) ? value.text : value)),
  () => ({ type: ['string', 'number'] }),
);

/** Of a job. */
export const jobFields: Fields<JobOptions> = {
  endpoint: {
    type: endpointOrBase,
    required: true,
    summary: 'where the request goes: relative to `api.baseUrl`, or a whole address; empty: `api.baseUrl` itself',
  },
  method: {
    type: method,
    otherwise: 'that of `api.http.defaultOptions`',
    summary: 'the HTTP method, in any case; FORM is a POST of a form',
    emptyIsAbsent: true,
  },
  params: {
    type: parameters('attr', 'time'),
    summary: 'request parameters; a list is an object of its indexes',
    emptyIsAbsent: true,
  },
  headers: { type: object, summary: 'request headers, sent as they stand', emptyIsAbsent: true },
  dataField: {
    type: dataFieldType,
    emptyIsAbsent: true,
    otherwise: 'the only list of the response',
    summary: 'where the items of a response are',
  },
  dataType: {
    type: text,
    otherwise: 'the endpoint, `/` of an empty one',
    summary: 'the name of what is extracted',
    emptyIsAbsent: true,
  },
  scroller: {
    type: text,
    otherwise: 'the default of `multiple`',
    summary: 'which of the methods of `multiple` it is walked with',
    emptyIsAbsent: true,
  },
  pagination: {
    type: opaque('an object with "method"', null, (write) => write.part('pagination')),
    emptyIsAbsent: true,
    otherwise: 'that of the API',
    summary: 'takes the place of `api.pagination`, conditions too; it goes with no `scroller`',
  },
  allowRepeatedItems: {
    type: truth,
    otherwise: 'that of the pagination',
    summary: 'whether pages with the items of other pages are right, and no loop',
  },
  id: {
    type: label,
    summary: 'what tells the job apart in its list; no two jobs of a list have the same',
    emptyIsAbsent: true,
  },
  responseFilter: {
    type: opaque('a path, or a list of them', null, () => ({
      type: ['string', 'array'],
      items: { type: 'string' },
    })),
    emptyIsAbsent: true,
    summary:
      'paths in an item whose values are taken as JSON text; `[]` behind a name leads into each element of a list',
  },
  responseFilterDelimiter: {
    type: text,
    default: '"."',
    summary: 'what parts the names in `responseFilter`',
    emptyIsAbsent: true,
  },
  userData: {
    type: opaque('a single value, or an object of them', null, (write) =>
      objectOr(write.of(expressions('attr', 'time')), singleValue),
    ),
    emptyIsAbsent: true,
    summary: 'members that are added to each item; a single value is called `job_parent_id`',
  },
  children: {
    type: opaque('a list of jobs', null, (write) => ({
      type: ['array', 'object'],
      items: write.part('config.jobs'),
      additionalProperties: write.part('config.jobs'),
    })),
    emptyIsAbsent: true,
    summary: 'jobs that are walked for each item of a page, once the page has been taken',
  },
  placeholders: {
    type: opaque('an object', null, placeholdersForm),
    emptyIsAbsent: true,
    summary: 'of a child: what `{NAME}` in its endpoint stands for, as a path in the item of its parent',
  },
  recursionFilter: {
    type: text,
    emptyIsAbsent: true,
    otherwise: 'every item',
    summary: 'of a child: for which items of its parent it is walked',
  },
};
