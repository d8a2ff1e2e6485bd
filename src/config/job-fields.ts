/** The keys of a job and of a child job. docs/01-configuration.md#jobs. */
import type { Exact, ExactObject } from '../core/json/exact.js';
import type { Method } from '../core/model/request.js';
import { parameters } from '../language/expression-fields.js';
import { boolean, endpointOrBase, method, object, opaque, string, stringOrNumber } from '../language/fields.js';
import { type JsonForm, objectOr, objectOrEmptyList, when } from '../language/json-schema.js';
import type { Fields } from '../language/types.js';
import { userDataType } from './children/user-data.js';
import { dataFieldType } from './data-field.js';

const path = { type: ['string', 'number'], minLength: 1 };

/** A path, or an object with a path and a call that converts its value. */
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

/** The keys of a job. */
export const jobFields: Fields<JobOptions> = {
  endpoint: {
    type: endpointOrBase,
    required: true,
    summary: 'the URL to request, absolute or relative to `api.baseUrl`; empty: `api.baseUrl` itself',
  },
  method: {
    type: method,
    otherwise: 'the method in `api.http.defaultOptions`',
    summary: 'the HTTP method, upper or lower case; FORM is a POST with a form body',
    emptyIsAbsent: true,
  },
  params: {
    type: parameters('attr', 'time'),
    summary: 'request parameters; a list counts as an object whose keys are indexes',
    emptyIsAbsent: true,
  },
  headers: { type: object, summary: 'request headers, sent unchanged', emptyIsAbsent: true },
  dataField: {
    type: dataFieldType,
    emptyIsAbsent: true,
    otherwise: 'the only list of the response',
    summary: 'the path to the items of a response',
  },
  dataType: {
    type: string,
    otherwise: 'the endpoint, or `/` if it is empty',
    summary: 'the name of the extracted data',
    emptyIsAbsent: true,
  },
  scroller: {
    type: string,
    otherwise: 'the default of `multiple`',
    summary: 'which method of `multiple` to use',
    emptyIsAbsent: true,
  },
  pagination: {
    type: opaque('an object with "method"', null, (write) => write.part('pagination')),
    emptyIsAbsent: true,
    otherwise: '`api.pagination`',
    summary: 'replaces `api.pagination`, including its conditions; cannot be used with `scroller`',
  },
  allowRepeatedItems: {
    type: boolean,
    otherwise: 'the value in the pagination',
    summary: 'whether pages with the items of earlier pages are correct',
  },
  id: {
    type: stringOrNumber,
    summary: 'identifies the job; unique within its list',
    emptyIsAbsent: true,
  },
  responseFilter: {
    type: opaque('a path, or a list of them', null, () => ({
      type: ['string', 'array'],
      items: { type: 'string' },
    })),
    emptyIsAbsent: true,
    summary: 'paths in an item whose values become JSON text; `[]` after a name selects every element of a list',
  },
  responseFilterDelimiter: {
    type: string,
    default: '"."',
    summary: 'the separator between the names in `responseFilter`',
    emptyIsAbsent: true,
  },
  userData: {
    type: userDataType,
    emptyIsAbsent: true,
    summary: 'members to add to each item; a single value gets the name `job_parent_id`',
  },
  children: {
    type: opaque('a list of jobs', null, (write) => ({
      type: ['array', 'object'],
      items: write.part('config.jobs'),
      additionalProperties: write.part('config.jobs'),
    })),
    emptyIsAbsent: true,
    summary: 'child jobs, which run for each item of a page after the page has been written',
  },
  placeholders: {
    type: opaque('an object', null, placeholdersForm),
    emptyIsAbsent: true,
    summary: 'for a child: the value of `{NAME}` in its endpoint, as a path in the item of the parent',
  },
  recursionFilter: {
    type: string,
    emptyIsAbsent: true,
    otherwise: 'every item',
    summary: 'for a child: a condition on the items of the parent',
  },
};
