/** `config.jobs`: what is requested, in listed order. requests.md 6.1. */
import type { Fields } from '../component.js';
import { type Exact, type ExactObject, emptyObject, isArray, isObject, stringifyExact } from '../exact.js';
import { expressions, method, name, object, text } from '../fields.js';
import type { Method, Scroller } from '../types.js';
import { checkExpressionMap, type Names } from './check-expressions.js';
import { checkLiteralHeaders } from './check-headers.js';
import type { JobConfig } from './config.js';
import { configFields } from './config-fields.js';
import { dataFieldType, readDataField } from './data-field.js';
import { notYet } from './not-yet.js';
import { readScroller } from './pagination.js';
import type { Place } from './place.js';
import { explain, isPhpEmpty, read } from './read.js';

interface JobOptions {
  readonly endpoint: string;
  readonly method?: Method;
  readonly params?: ExactObject;
  readonly headers?: ExactObject;
  readonly dataField?: Exact;
  readonly dataType?: string;
  readonly scroller?: string;
}

/** Of a job. */
export const jobFields: Fields<JobOptions> = {
  endpoint: {
    type: name,
    required: true,
    summary: 'where the request goes: relative to `api.baseUrl`, or a whole address',
  },
  method: {
    type: method,
    otherwise: 'that of `api.http.defaultOptions`',
    summary: 'the HTTP method, in any case; FORM is a POST of a form',
  },
  params: { type: expressions('attr', 'time'), summary: 'request parameters' },
  headers: { type: object, summary: 'request headers, sent as they stand' },
  dataField: {
    type: dataFieldType,
    emptyIsAbsent: true,
    otherwise: 'the only list of the response',
    summary: 'where the items of a response are',
  },
  dataType: { type: text, otherwise: 'the endpoint', summary: 'the name of what is extracted' },
  scroller: {
    type: text,
    otherwise: 'the default of `multiple`',
    summary: 'which of the methods of `multiple` it is walked with',
  },
};

/** A job before it has got its name. */
export type UnnamedJob = Omit<JobConfig, 'name'>;

/** `undefined` when there is no job or one did not fit, which `place` then knows. A job that was already listed is left out with a warning. */
export function readJobs(
  place: Place,
  value: Exact = null,
  names: Names,
  scroller: Scroller | undefined,
): readonly UnnamedJob[] | undefined {
  const listed = entries(value);
  if (listed === undefined || listed.length === 0) {
    place.problem(explain(configFields.jobs.type.type, value));
    return undefined;
  }
  const seen = new Map<string, Place>();
  const jobs: (UnnamedJob | undefined)[] = [];
  for (const [step, job] of listed) {
    const at = place.at(step);
    const text = stringifyExact(job);
    const same = seen.get(text);
    if (same === undefined) jobs.push(readJob(at, job, names, scroller));
    else at.warn('identical-job', `the same as ${same.path}; runs once`);
    seen.set(text, same ?? at);
  }
  const fit = jobs.filter((job) => job !== undefined);
  return fit.length === jobs.length ? fit : undefined;
}

/** An object of jobs counts as the list of its values. */
function entries(value: Exact): readonly (readonly [string | number, Exact])[] | undefined {
  if (isArray(value)) return [...value.entries()];
  return isObject(value) ? [...value] : undefined;
}

function readJob(place: Place, value: Exact, names: Names, ofApi: Scroller | undefined): UnnamedJob | undefined {
  const options = read(place, value, jobFields, { notYet: notYet.job });
  if (!isObject(value)) return undefined;
  const dataField = readDataField(place.at('dataField'), value.get('dataField'));
  const [params, headers] = [value.get('params'), value.get('headers')];
  if (isObject(params)) {
    const scope = { ...names, references: ['attr', 'time'] as const };
    checkExpressionMap(place.at('params'), params, scope);
  }
  if (isObject(headers)) checkLiteralHeaders(place.at('headers'), headers);
  const scroller = readScroller(place.at('scroller'), options?.scroller, ofApi);
  if (options === undefined || dataField === undefined) return undefined;
  const { endpoint, dataType = '' } = options;
  return {
    endpoint,
    ...(options.method === undefined ? {} : { method: options.method }),
    params: options.params ?? emptyObject,
    headers: options.headers ?? emptyObject,
    dataField,
    dataType: isPhpEmpty(dataType) ? endpoint : dataType,
    ...(scroller === undefined ? {} : { scroller }),
    path: place.path,
  };
}

/** Gives names, and numbers those that would otherwise share one. Called once for all jobs of a configuration. */
export function createNames(): (job: UnnamedJob) => JobConfig {
  const taken = new Map<string, number>();
  return (job) => {
    const base = nameOf(job);
    let name = base;
    let number = taken.get(base) ?? 1;
    for (; taken.has(name); name = `${base}#${number}`) number += 1;
    taken.set(base, number).set(name, name === base ? number : 1);
    return { name, ...job };
  };
}

/** A name is shown in messages: what a query or a fragment of the endpoint holds, or a user before the host, is none of theirs. */
function nameOf({ endpoint, dataType }: UnnamedJob): string {
  if (dataType !== endpoint) return dataType;
  return endpoint.replace(/[?#].*$/s, '').replace(/^([a-z]*:?\/\/)[^/]*@/i, '$1') || '/';
}
