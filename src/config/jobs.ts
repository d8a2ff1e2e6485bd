/** Reads `config.jobs` and the children of jobs. docs/01-configuration.md#jobs, docs/04-child-jobs.md#placeholders. */

import { type Exact, type ExactObject, isArray, isObject, stringifyExact } from '../core/json/exact.js';
import type { DataField } from '../core/model/job.js';
import type { ResponseFormat } from '../core/model/response-format.js';
import { combine, combineList, defined } from '../core/util/defined.js';
import { didYouMean } from '../core/util/suggest.js';
import { checkExpressionMap, type Names, type Scope } from '../language/check-expressions.js';
import { checkExpressionHeaders, checkLiteralHeaders } from '../language/check-headers.js';
import type { ResponseRule } from '../language/condition/response-rule.js';
import type { ConfigPath } from '../language/config-path.js';
import { listAsObject } from '../language/expression-kinds.js';
import { describeMismatch, isPhpEmpty, listEntries, readObject } from '../language/read.js';
import { onePage } from '../pagination/none.js';
import type { Paginator } from '../pagination/types.js';
import { type Placeholder, readPlaceholders, warnElsewhere, warnUnknownNames } from './children/placeholders.js';
import { readRecursionFilter } from './children/recursion-filter.js';
import { readResponseFilter } from './children/response-filter.js';
import { mergeUserData, readUserData } from './children/user-data.js';
import { configFields } from './config-fields.js';
import { readDataField } from './data-field.js';
import { asDownloaded, downloadOf, impliedPlaceholders, readDownload, rowField } from './download.js';
import { hasIncremental, readIncremental } from './incremental.js';
import { jobFields, plainOptions } from './job-fields.js';
import { noName, type UnnamedChild, type UnnamedJob } from './name-jobs.js';
import { readOnError } from './on-error.js';
import { readOwnPagination, readScroller } from './pagination.js';
import { moveBelow, type ReadJob } from './partition/below-jobs.js';
import { readDivision } from './partition/read-partition.js';
import type { Registries } from './registries.js';
import { asFetched, readReport } from './report/read-report.js';
import { noteUnusedDataField, readResponse } from './response-fields.js';
import { readResponseRules } from './response-rules.js';

/** The context of jobs. */
export interface JobContext {
  readonly names: Names;
  readonly registries: Registries;
  /** Of the API; absent if it does not fit. */
  readonly paginator: Paginator | undefined;
  /** Of `api`; absent: guessed. */
  readonly response: ResponseFormat | undefined;
  /** Of the API, after those of a job. */
  readonly responseRules: readonly ResponseRule[];
  /** Of `config`, for top-level jobs. */
  readonly userData: ExactObject;
}

/**
 * Returns `undefined` if there is no job or one does not fit, after reporting it to `place`. Repeated jobs are left out
 * with a warning.
 */
export function readJobs(
  place: ConfigPath,
  value: Exact = null,
  context: JobContext,
): readonly UnnamedJob[] | undefined {
  const listed = listEntries(value);
  if (listed !== undefined && listed.length > 0) {
    const jobs = readList(place, listed, (at, job) => readJob(at, job, context));
    return jobs === undefined ? undefined : moveBelow(jobs);
  }
  place.problem(describeMismatch(configFields.jobs.kind.struct.type, value));
  return undefined;
}

/**
 * Reads each entry once: of identical ones without `id` one runs, and an `id` must be unique in a list.
 * docs/12-compatibility.md#jobs.
 */
function readList<T>(
  place: ConfigPath,
  listed: readonly (readonly [string | number, Exact])[],
  readOne: (place: ConfigPath, job: Exact) => T | undefined,
): readonly T[] | undefined {
  const seen = new Map<string, ConfigPath>();
  const jobs: (T | undefined)[] = [];
  for (const [step, job] of listed) {
    const at = place.at(step);
    const { key, isId } = jobIdentity(job);
    const same = seen.get(key);
    if (same === undefined) jobs.push(readOne(at, job));
    else if (isId) at.at('id').problem(`${same.path} has the same id`);
    else at.warn('identical-job', `identical to ${same.path}; runs once`);
    seen.set(key, same ?? at);
  }
  return combineList(jobs);
}

function jobIdentity(job: Exact): { readonly key: string; readonly isId: boolean } {
  const id = isObject(job) ? (job.get('id') ?? null) : null;
  if (isPhpEmpty(id)) return { key: stringifyExact(job), isId: false };
  return { key: String(id), isId: true };
}

function readJob(place: ConfigPath, value: Exact, context: JobContext): ReadJob | undefined {
  const job = readCommon(place, value, context);
  if (!isObject(value)) return undefined;
  for (const key of ['placeholders', 'recursionFilter'] as const) {
    if (!isPhpEmpty(value.get(key))) place.at(key).warn('not-a-child', 'not used: the job has no parent');
  }
  if (!isPhpEmpty(value.get('download'))) place.at('download').problem('only a child job can have it');
  const division = readDivision(place, value, context.names);
  const names = division?.names ?? [];
  warnUnknownNames(place.at('endpoint'), value.get('endpoint'), [...names, ...ownNames(value)]);
  const descent = { depth: 1, inherited: names };
  const children = readChildren(place.at('children'), value.get('children'), context, descent);
  noteUnusedFilter(place, job, children);
  checkBy(place, job, names);
  if (job === undefined || children === undefined || division === undefined) return undefined;
  const id = value.get('id') ?? null;
  return {
    job: { ...job, ...division.members, userData: mergeUserData(context.userData, job.userData), children },
    id: isPhpEmpty(id) ? undefined : String(id),
    ofJobs: division.ofJobs,
  };
}

/** The depth of a child, and the names of the placeholders of its ancestors. */
interface ChildContext {
  readonly depth: number;
  readonly inherited: readonly string[];
}

function readChildren(
  place: ConfigPath,
  value: Exact = null,
  context: JobContext,
  descent: ChildContext,
): readonly UnnamedChild[] | undefined {
  if (isPhpEmpty(value)) return [];
  const listed = listEntries(value);
  if (listed !== undefined) return readList(place, listed, (at, child) => readChild(at, child, context, descent));
  place.problem(describeMismatch(jobFields.children.kind.struct.type, value));
  return undefined;
}

function readChild(
  place: ConfigPath,
  value: Exact,
  context: JobContext,
  { depth, inherited }: ChildContext,
): UnnamedChild | undefined {
  const job = readCommon(place, value, context);
  if (!isObject(value)) return undefined;
  const own = readPlaceholders(place.at('placeholders'), value.get('placeholders'), depth, context.names);
  const implied = impliedPlaceholders(place, value, { names: [...inherited, ...namesIn(own)], depth });
  const placeholders = own === undefined ? undefined : [...own, ...implied];
  const filter = value.get('recursionFilter');
  const recursionFilter = readRecursionFilter(place.at('recursionFilter'), filter);
  const division = readDivision(place, value, context.names);
  for (const { place: at } of division?.ofJobs ?? [])
    at.problem('a child has `placeholders` for the items of another job');
  const all = [...inherited, ...namesIn(placeholders)];
  const below = { depth: depth + 1, inherited: [...all, ...(division?.names ?? [])] };
  const definitions = value.get('placeholders') ?? null;
  const names = [
    ...inherited,
    ...(isObject(definitions) ? definitions.keys() : []),
    ...(division?.names ?? []),
    ...ownNames(value),
  ];
  if (names.length > 0) warnUnknownNames(place.at('endpoint'), value.get('endpoint'), names);
  for (const key of ['params', 'headers']) warnElsewhere(place.at(key), value.get(key), names);
  const children = readChildren(place.at('children'), value.get('children'), context, below);
  noteUnusedFilter(place, job, children);
  checkBy(place, job, names);
  notePagedDetail(place, value, names, context.paginator);
  if (job === undefined || placeholders === undefined || children === undefined || division === undefined)
    return undefined;
  if (all.length === 0) {
    place.warn('never-walked', 'a child job without `placeholders` (its own or of a parent) never runs');
  }
  return { ...job, ...division.members, placeholders, ...defined({ recursionFilter }), children };
}

const namesIn = (placeholders: readonly Placeholder[] = []): readonly string[] => placeholders.map(({ name }) => name);

/** An address that ends in a placeholder is usually that of one item, but the pagination of the API applies to it. */
function notePagedDetail(place: ConfigPath, child: ExactObject, names: readonly string[], ofApi?: Paginator): void {
  const own = ['pagination', 'scroller'].some((key) => !isPhpEmpty(child.get(key)));
  const endpoint = child.get('endpoint');
  if (own || ofApi === undefined || ofApi.single === true || typeof endpoint !== 'string') return;
  const last = /\{([^{}]+)\}\/?$/.exec(endpoint.replace(/[?#].*$/s, ''))?.[1];
  if (last === undefined || !names.includes(last)) return;
  const hint = 'if each child needs one request, set "pagination": { "method": "none" }';
  place.note('paged-detail', `its endpoint ends in a placeholder, and it uses \`api.pagination\`; ${hint}`);
}

/** A filter only affects children and tables, and tables are not written here. docs/12-compatibility.md#output. */
function noteUnusedFilter(
  place: ConfigPath,
  job: Pick<UnnamedJob, 'responseFilter'> | undefined,
  children?: readonly unknown[],
): void {
  if (job === undefined || job.responseFilter.length === 0 || children?.length !== 0) return;
  place
    .at('responseFilter')
    .note('filter-not-used', 'has no effect: the job has no children, and items are not changed');
}

function readCommon(
  place: ConfigPath,
  value: Exact,
  { names, registries, paginator: ofApi, response: responseOfApi, responseRules: rulesOfApi }: JobContext,
): Omit<UnnamedJob, 'children'> | undefined {
  if (!isObject(value)) {
    readObject(place, value, jobFields);
    return undefined;
  }
  const scope = scopeOf(names, value);
  const report = readReport(place, value, scope);
  const download = readDownload(place, value);
  const options = readObject(place, asRequested(value, report, download), jobFields);
  const { dataField, response } = readShape(place, value, responseOfApi, download);
  const incremental = readIncremental(place.at('incremental'), value.get('incremental'));
  checkWindows(place.at('incremental'), incremental, value.get('windows'));
  warnOfUnsent(place.at('incremental'), incremental, value);
  const [params, headers] = [listAsObject(value.get('params')), value.get('headers')];
  if (isObject(params)) checkExpressionMap(place.at('params'), params, scope);
  if (isObject(headers)) checkHeaders(place.at('headers'), headers, { scope, incremental });
  const own = readOwnPagination(place, value, names, registries);
  const paginator = isPhpEmpty(value.get('pagination'))
    ? readScroller(place.at('scroller'), options?.scroller, ofApi)
    : own;
  const responseFilter = readResponseFilter(
    place.at('responseFilter'),
    value.get('responseFilter'),
    options?.responseFilterDelimiter,
  );
  const userData = readUserData(place.at('userData'), value.get('userData'), 'job_parent_id', scope);
  const onError = readOnError(place.at('onError'), value.get('onError'));
  const ownRules = readResponseRules(place.at('responseRules'), value.get('responseRules'));
  const parts = combine({ dataField, responseFilter, userData, ownRules });
  if (options === undefined || parts === undefined || onError === null || report === null || download === null)
    return undefined;
  const { dataType = report?.create.endpoint ?? options.endpoint } = options;
  const { ownRules: first, ...read } = parts;
  const isSingle = download !== undefined || (paginator === undefined && report?.links !== undefined);
  const responseRules = first.length + rulesOfApi.length === 0 ? undefined : [...first, ...rulesOfApi];
  return {
    ...plainOptions(options),
    dataType: dataType === '' ? noName : dataType,
    ...defined({ paginator: isSingle ? onePage : paginator, incremental, onError, report, response, responseRules }),
    ...defined({ download: downloadOf(download) }),
    ...read,
    path: place.path,
  };
}

/** The job as one of the requests that give its items. */
function asRequested(
  value: ExactObject,
  report: ReturnType<typeof readReport>,
  download: ReturnType<typeof readDownload>,
): ExactObject {
  if (download !== undefined) return asDownloaded(value, download);
  return report === undefined ? value : asFetched(value, report);
}

/** Where the items of a response are, and how it is read. */
function readShape(
  place: ConfigPath,
  value: ExactObject,
  ofApi: ResponseFormat | undefined,
  download: ReturnType<typeof readDownload>,
): { readonly dataField: DataField | undefined; readonly response: ResponseFormat | undefined } {
  if (download !== undefined) return { dataField: rowField, response: undefined };
  const response = readResponse(place.at('response'), value.get('response')) ?? ofApi;
  noteUnusedDataField(place.at('dataField'), value.get('dataField'), response?.format);
  return { dataField: readDataField(place.at('dataField'), value.get('dataField')), response };
}

/** The remembered value is all that a header can name. */
function checkHeaders(
  place: ConfigPath,
  headers: ExactObject,
  { scope, incremental }: { readonly scope: Scope; readonly incremental: UnnamedJob['incremental'] | undefined },
): void {
  if (incremental === undefined) checkLiteralHeaders(place, headers);
  else checkExpressionHeaders(place, headers, { ...scope, references: ['incremental'] });
}

/** Windows begin at the value, so it needs an order; they are not walked in the order of the values. */
function checkWindows(
  place: ConfigPath,
  incremental: UnnamedJob['incremental'] | undefined,
  windows: Exact | undefined,
): void {
  if (incremental === undefined || windows === undefined || isPhpEmpty(windows)) return;
  if (incremental.source.kind !== 'path') place.problem('cannot be used with `windows`, unless it has "path"');
  if (incremental.isAscending) place.at('order').problem('cannot be used with `windows`: remove it');
}

/** Where a request can carry the remembered value. */
const carriers = ['endpoint', 'params', 'headers', 'await', 'pagination'] as const;

/** A value that no request carries is remembered in vain: each run asks for everything. */
function warnOfUnsent(place: ConfigPath, incremental: UnnamedJob['incremental'] | undefined, job: ExactObject): void {
  if (incremental === undefined || incremental.param !== undefined) return;
  if (!isPhpEmpty(job.get('windows'))) return; // they begin at the value
  if (carriers.some((key) => namesValue(job.get(key)))) return;
  const remedy =
    'set `param`, or use `{ "incremental": "value" }` in `params` or `headers`, or `{incremental}` in `endpoint`';
  place.warn('value-not-sent', `no request carries the value, so each run asks for everything; ${remedy}`);
}

/** Whether the value of `incremental` is named, as `{incremental}` or by an expression, also one that is a text. */
function namesValue(value: Exact | undefined): boolean {
  if (typeof value === 'string') return /\{incremental\}|"incremental"/.test(value);
  if (value === undefined) return false;
  if (isArray(value)) return value.some(namesValue);
  return isObject(value) && [...value].some(([name, each]) => name === 'incremental' || namesValue(each));
}

/** A value is remembered for each parent, which only placeholders name. */
function checkBy(place: ConfigPath, job: Pick<UnnamedJob, 'incremental'> | undefined, names: readonly string[]): void {
  for (const [index, name] of (job?.incremental?.by ?? []).entries()) {
    if (!names.includes(name))
      place.at('incremental', 'by', index).problem(`there is no such placeholder${didYouMean(name, names)}`);
  }
}

/** What the expressions of a job can name: the remembered value, if there is one. */
function scopeOf(names: Names, job: ExactObject): Scope {
  const references = ['attr', 'time'] as const;
  if (!hasIncremental(job.get('incremental'))) return { ...names, references };
  const roots = new Map([...(names.roots ?? []), ['incremental', new Map([['value', 'any']])] as const]);
  return { ...names, roots, references: [...references, 'incremental'] };
}

/** The name in an endpoint that the remembered value fills in. */
const ownNames = (job: ExactObject): readonly string[] =>
  hasIncremental(job.get('incremental')) ? ['incremental'] : [];
