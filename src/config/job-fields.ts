/** The keys of a job and of a child job. docs/01-configuration.md#jobs. */
import { emptyObject } from '../core/json/exact.js';
import { objectOr, objectOrEmptyList, when } from '../core/options/json-schema.js';
import type { JsonForm, OptionRow, OptionsOf } from '../core/options/kind.js';
import { text, word } from '../core/options/kinds.js';
import { mapOf } from '../core/options/object-kinds.js';
import { listForms } from '../core/tables/list-rules.js';
import { expressions, parameters } from '../language/expression-kinds.js';
import { boolean, endpointOrBase, listOfParts, method, opaque, partOf, stringOrNumber } from '../language/kinds.js';
import { userDataType } from './children/user-data.js';
import { dataFieldType } from './data-field.js';
import { besideDownload, downloadType } from './download.js';
import { incrementalType } from './incremental.js';
import { onErrorType } from './on-error.js';
import { eachType } from './partition/each.js';
import { windowsType } from './partition/windows.js';
import { awaitType } from './report/report-fields.js';
import { responseKind } from './response-fields.js';
import { responseRulesKind } from './response-rules.js';

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

/** `isReadApart`: the key has a reader of its own. A job has the others as they are. */
interface JobRow extends OptionRow {
  readonly isReadApart?: true;
}

/** The keys of a job. */
export const jobFields = {
  endpoint: {
    kind: endpointOrBase,
    required: true,
    summary: 'the URL to request, absolute or relative to `api.baseUrl`; empty: `api.baseUrl` itself',
  },
  method: {
    kind: method,
    otherwise: 'the method in `api.http.defaultOptions`',
    summary: 'the HTTP method, upper or lower case; FORM is a POST with a form body',
    emptyIsAbsent: true,
  },
  params: {
    kind: parameters('attr', 'time', 'incremental'),
    default: emptyObject,
    summary: 'request parameters; a list counts as an object whose keys are indexes',
    emptyIsAbsent: true,
  },
  headers: {
    kind: expressions('incremental'),
    default: emptyObject,
    summary: 'request headers, sent unchanged; with `incremental` a value may be an expression with its value',
    emptyIsAbsent: true,
  },
  dataField: {
    isReadApart: true,
    kind: dataFieldType,
    emptyIsAbsent: true,
    otherwise: 'the only list of the response',
    summary: 'the path to the items of a response',
  },
  response: {
    isReadApart: true,
    kind: responseKind,
    otherwise: '`api.response`',
    summary: 'how a response is read; replaces `api.response` as a whole',
  },
  dataType: {
    isReadApart: true,
    kind: text,
    otherwise: 'the endpoint, or `/` if it is empty',
    summary: 'the name of the extracted data',
    emptyIsAbsent: true,
  },
  scroller: {
    isReadApart: true,
    kind: text,
    otherwise: 'the default of `multiple`',
    excludes: ['pagination'],
    summary: 'which method of `multiple` to use',
    emptyIsAbsent: true,
  },
  pagination: {
    isReadApart: true,
    kind: partOf('pagination', 'an object with "method"'),
    emptyIsAbsent: true,
    otherwise: '`api.pagination`',
    summary: 'replaces `api.pagination`, including its conditions; cannot be used with `scroller`',
  },
  allowRepeatedItems: {
    kind: boolean,
    otherwise: 'the value in the pagination',
    mayChangeOnResume: true,
    summary: 'whether pages with the items of earlier pages are correct',
  },
  id: {
    isReadApart: true,
    kind: stringOrNumber,
    summary: 'identifies the job; unique within its list',
    emptyIsAbsent: true,
  },
  each: {
    isReadApart: true,
    kind: eachType,
    emptyIsAbsent: true,
    summary:
      'runs the job for each value, and with several keys for each combination; a key is a placeholder if the endpoint has it, else a parameter',
  },
  await: {
    isReadApart: true,
    kind: awaitType,
    emptyIsAbsent: true,
    summary: 'in place of `endpoint`: a report that is created, polled until it is done, fetched and deleted',
  },
  download: {
    isReadApart: true,
    kind: downloadType,
    emptyIsAbsent: true,
    excludes: besideDownload,
    summary: 'for a child, in place of `endpoint`: a file for each item of the parent, and an item that describes it',
  },
  responseRules: {
    isReadApart: true,
    kind: responseRulesKind,
    emptyIsAbsent: true,
    summary: 'rules on responses, before those of `api.responseRules`: what becomes of a page',
  },
  onError: {
    isReadApart: true,
    kind: onErrorType,
    emptyIsAbsent: true,
    otherwise: '`fail`',
    mayChangeOnResume: true,
    summary: 'what becomes of a request that fails: `skip`, `dead-letter`, or an object of statuses',
  },
  incremental: {
    isReadApart: true,
    kind: incrementalType,
    emptyIsAbsent: true,
    otherwise: 'each run asks for everything',
    summary: 'remembers a value from run to run, so that the next run asks only for what is new',
  },
  revalidate: {
    kind: boolean,
    otherwise: 'each page is requested whole',
    summary: 'with a state: a page that the API says has not changed since an earlier run has no items',
  },
  windows: {
    isReadApart: true,
    kind: windowsType,
    emptyIsAbsent: true,
    summary: 'runs the job for each window of a range of dates or numbers',
  },
  responseFilter: {
    isReadApart: true,
    kind: opaque('a path, or a list of them', () => ({
      type: ['string', 'array'],
      items: { type: 'string' },
    })),
    emptyIsAbsent: true,
    summary: 'paths in an item whose values become JSON text; `[]` after a name selects every element of a list',
  },
  lists: {
    kind: mapOf(word(...listForms), 'an object whose values are "table" or "json"'),
    emptyIsAbsent: true,
    otherwise: 'what `lists` of the sink says',
    summary: 'by path, what becomes of lists inside items in sinks of tables: `table` or `json`',
  },
  responseFilterDelimiter: {
    isReadApart: true,
    kind: text,
    default: '.',
    summary: 'the separator between the names in `responseFilter`',
    emptyIsAbsent: true,
  },
  userData: {
    isReadApart: true,
    kind: userDataType,
    emptyIsAbsent: true,
    summary: 'members to add to each item; a single value gets the name `job_parent_id`',
  },
  children: {
    isReadApart: true,
    kind: listOfParts('config.jobs', 'a list of jobs'),
    emptyIsAbsent: true,
    summary: 'child jobs, which run for each item of a page after the page has been written',
  },
  placeholders: {
    isReadApart: true,
    kind: opaque('an object', placeholdersForm),
    emptyIsAbsent: true,
    summary: 'for a child: the value of `{NAME}` in its endpoint, as a path in the item of the parent',
  },
  recursionFilter: {
    isReadApart: true,
    kind: text,
    emptyIsAbsent: true,
    otherwise: 'every item',
    summary: 'for a child: a condition on the items of the parent',
  },
} satisfies Readonly<Record<string, JobRow>>;

type JobFields = typeof jobFields;
type JobOptions = OptionsOf<JobFields>;

type KeysReadApart = {
  [Key in keyof JobFields]: JobFields[Key] extends { readonly isReadApart: true } ? Key : never;
}[keyof JobFields];

/** What a job has of its keys as they are written, defaults included. */
export type PlainJobOptions = Omit<JobOptions, KeysReadApart>;

export function plainOptions(options: JobOptions): PlainJobOptions {
  const rows: Readonly<Record<string, JobRow>> = jobFields;
  const plain = Object.entries(options).filter(([key]) => rows[key]?.isReadApart !== true);
  return Object.fromEntries(plain) as PlainJobOptions; // without those keys
}
