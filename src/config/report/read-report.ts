/** Reads `await` of a job. docs/14-any-response.md#reports. */
import { type Exact, type ExactObject, emptyObject, isObject, splitPath } from '../../core/json/exact.js';
import type { Method } from '../../core/model/request.js';
import type { OptionRows, OptionsOf } from '../../core/options/kind.js';
import { combine, defined } from '../../core/util/defined.js';
import { checkExpressionMap, type Scope } from '../../language/check-expressions.js';
import { checkLiteralHeaders } from '../../language/check-headers.js';
import { readCondition } from '../../language/condition/read-condition.js';
import type { ResponseCondition } from '../../language/condition/response-condition.js';
import type { ConfigPath } from '../../language/config-path.js';
import { listAsObject } from '../../language/expression-kinds.js';
import { isPhpEmpty } from '../../language/read.js';
import { readStrictly } from '../../language/read-strictly.js';
import { awaitFields, createFields, deleteFields, fetchFields, pollFields } from './report-fields.js';

/** A request as it is configured: `params` are expressions. */
export interface ReportRequest {
  readonly endpoint: string;
  readonly method: Method;
  readonly params: ExactObject;
  readonly headers: ExactObject;
}

/** A report that is created, polled and fetched; times in ms. */
export interface ReportConfig {
  /** `idempotencyKey`: the name of a header. */
  readonly create: ReportRequest & { readonly idempotencyKey?: string };
  readonly poll: ReportRequest & { readonly every: number; readonly backoff: number; readonly timeout: number };
  readonly done: ResponseCondition;
  readonly failed?: ResponseCondition;
  /** Gives the items, or the links to them; absent: the last poll has the links. */
  readonly fetch?: ReportRequest;
  /** Where the links are; absent: there are none. */
  readonly links?: readonly string[];
  readonly delete?: ReportRequest;
}

/** The placeholder for a link, in the endpoint of the job. */
export const linkName = 'link of the report';

/** Keys of a job that are those of `fetch` then. */
const replaced = ['endpoint', 'method', 'params', 'headers'] as const;

const none = 'none' as const;

/** Undefined: there is none; null: something does not fit, and was reported to its place. */
export function readReport(place: ConfigPath, job: ExactObject, scope: Scope): ReportConfig | undefined | null {
  const value = job.get('await') ?? null;
  if (isPhpEmpty(value)) return undefined;
  const at = place.at('await');
  const given = replaced.filter((key) => !isPhpEmpty(job.get(key)));
  for (const key of given) place.at(key).problem('the requests of `await` have it: remove one of them');
  if (!isPhpEmpty(job.get('onError'))) place.at('onError').problem('cannot be used with `await`');
  const options = readStrictly(at, value, awaitFields);
  if (!isObject(value)) return null;
  const part = (key: keyof typeof awaitFields) => value.get(key) ?? null;
  const create = readRequest(at.at('create'), part('create'), createFields, scope);
  const poll = readRequest(at.at('poll'), part('poll'), pollFields, scope);
  const fetch = readRequest(at.at('fetch'), part('fetch'), fetchFields, scope);
  const removal = isPhpEmpty(part('delete')) ? none : readRequest(at.at('delete'), part('delete'), deleteFields, scope);
  const done = readCondition(at.at('done'), part('done'));
  const failed = isPhpEmpty(part('failed')) ? none : readCondition(at.at('failed'), part('failed'));
  const parts = combine({ create, poll, fetch, removal, done, failed });
  const isSound = options !== undefined && given.length === 0 && isPhpEmpty(job.get('onError'));
  return !isSound || parts === undefined ? null : reportOf(at, parts);
}

interface ReportParts {
  readonly create: OptionsOf<typeof createFields>;
  readonly poll: OptionsOf<typeof pollFields>;
  readonly fetch: OptionsOf<typeof fetchFields>;
  readonly removal: OptionsOf<typeof deleteFields> | 'none';
  readonly done: ResponseCondition;
  readonly failed: ResponseCondition | 'none';
}

function reportOf(place: ConfigPath, { create, poll, fetch, removal, done, failed }: ReportParts): ReportConfig | null {
  const { path, endpoint, ...request } = fetch;
  if (path === undefined && endpoint === undefined) {
    place.at('fetch').problem('expected "endpoint", "path", or both');
    return null;
  }
  const { every = 5000, backoff = 1, timeout = 3_600_000 } = poll;
  return {
    create,
    poll: { ...poll, every, backoff, timeout },
    done,
    ...defined({
      failed: failed === 'none' ? undefined : failed,
      fetch: endpoint === undefined ? undefined : { ...request, endpoint },
      links: typeof path === 'string' ? splitPath(path) : path,
      delete: removal === 'none' ? undefined : removal,
    }),
  };
}

function readRequest<const Rows extends OptionRows>(
  place: ConfigPath,
  value: Exact,
  rows: Rows,
  scope: Scope,
): OptionsOf<Rows> | undefined {
  const options = readStrictly(place, value, rows);
  if (!isObject(value)) return options;
  const [params, headers] = [listAsObject(value.get('params')), value.get('headers')];
  if (isObject(params)) checkExpressionMap(place.at('params'), params, scope);
  if (isObject(headers)) checkLiteralHeaders(place.at('headers'), headers);
  return options;
}

/** The job as one of the request that gives the items. `report`: null if it does not fit. */
export function asFetched(job: ExactObject, report: ReportConfig | null): ExactObject {
  const plain = { endpoint: `{${linkName}}`, method: 'GET', params: emptyObject, headers: emptyObject };
  const { endpoint, method, params, headers } = report?.links === undefined ? (report?.fetch ?? plain) : plain;
  const own: readonly (readonly [string, Exact])[] = [
    ['endpoint', endpoint],
    ['method', method],
    ['params', params],
    ['headers', headers],
  ];
  return new Map([...job, ...own]);
}
