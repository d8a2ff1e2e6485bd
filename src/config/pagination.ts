/**
 * Reads `api.pagination`: a method and stopping conditions; with `multiple`, further paginations in it.
 * docs/03-pagination.md.
 */
import { type Exact, type ExactObject, emptyObject, isObject, splitPath, stringifyExact } from '../core/json/exact.js';
import type { OptionsOf } from '../core/options/kind.js';
import { objectOf, withoutDefaults } from '../core/options/object-kinds.js';
import { combineList, defined } from '../core/util/defined.js';
import { didYouMean } from '../core/util/suggest.js';
import type { Names } from '../language/check-expressions.js';
import type { ConfigPath } from '../language/config-path.js';
import { object } from '../language/kinds.js';
import { isPhpEmpty, oneOfNames, readObject, readSection, readValue } from '../language/read.js';
import { captureKind } from '../pagination/capture.js';
import { choosePaginator } from '../pagination/multiple.js';
import { prefetchOf } from '../pagination/prefetch.js';
import { type StopRule, withStops } from '../pagination/stop-rule.js';
import type { PaginationContext, Paginator } from '../pagination/types.js';
import { chooseComponent, createNow } from './choose-component.js';
import { besideMethod } from './pagination-fields.js';
import type { Registries } from './registries.js';

/** Returns `undefined` if something does not fit, after reporting it to `place`. */
export function readPagination(
  place: ConfigPath,
  value: Exact = null,
  names: Names,
  registries: Registries,
): Paginator | undefined {
  const pagination = isPhpEmpty(value) ? emptyObject : readValue(place, value, object);
  if (pagination === undefined) return undefined;
  const rules = readStops(place, pagination, registries);
  const options = readValue(place, pagination, objectOf(withoutDefaults(besideMethod))) ?? {};
  const method = readMethod(place, pagination, names, registries);
  if (method === undefined || rules === undefined) return undefined;
  if (!isPhpEmpty(pagination.get('repair')) && !repairing.includes(pagination.get('method') ?? null))
    place.at('repair').problem(noRepair);
  if (prefetchOf(undefined, options) !== 0 && !canPrefetch(method)) place.at('prefetch').problem(noPrefetch);
  const overlap = options.overlap === true ? place.at('overlap') : undefined;
  if (overlap !== undefined && !canOverlap(method)) overlap.problem(noOverlap);
  else if (overlap !== undefined && rules.length > 0)
    overlap.problem(noOverlapWithRules(Object.keys(registries.stopRules)));
  const paginator = withPlaces(place, withCommonOptions(method, { ...options, overlapAt: overlap?.path }));
  // A single request ends by itself, before any condition.
  return method === registries.none ? paginator : withStops(paginator, rules);
}

/**
 * Reads the pagination of a job, which replaces that of the API with its conditions. Returns `undefined` for that of
 * the API, or if something does not fit, after reporting it to `place`, the place of the job. See
 * docs/03-pagination.md#of-one-job.
 */
export function readOwnPagination(
  place: ConfigPath,
  job: ExactObject,
  names: Names,
  registries: Registries,
): Paginator | undefined {
  const own = job.get('pagination');
  if (isPhpEmpty(own)) return undefined;
  const at = place.at('pagination');
  if (isObject(own) && isPhpEmpty(own.get('method')) && hasOnlyConditions(own, registries)) {
    at.at('method').warn(
      'no-method',
      'without it the job sends one request: it does not inherit from `api.pagination`',
    );
  }
  return readPagination(at, own, names, registries);
}

/** Adds the places of parameters that are paths; nested paginators have theirs already. */
function withPlaces(place: ConfigPath, paginator: Paginator): Paginator {
  const { bodyParams } = paginator;
  if (bodyParams === undefined) return paginator;
  return { ...paginator, bodyParams: bodyParams.map((param) => ({ at: place.at(param.key).path, ...param })) };
}

/** In other keys such a text is a path; here it is a name: valid, but rarely intended. */
function noteDottedFlag(place: ConfigPath, field: Exact = null): void {
  if (typeof field !== 'string' || !/[^.]\.[^.]/.test(field)) return;
  const path = stringifyExact(field.split('.')).replaceAll(',', ', ');
  place.note('flag-is-name', `a name at the top level of the response; did you mean the path ${path}?`);
}

/** Nested paginations have those of the one around them, unless they have their own. */
interface CommonOptions extends Partial<OptionsOf<typeof besideMethod>> {
  /** Where `overlap` is written; absent: it is false. */
  readonly overlapAt?: string | undefined;
}

/** With several methods, one is enough. */
const canPrefetch = ({ requestAt, named }: Paginator): boolean =>
  requestAt !== undefined || [...(named?.values() ?? [])].some(canPrefetch);

const noPrefetch =
  'cannot be used with this method: each of its requests depends on the page before it. Expected "pagenum" or "offset"; methods that follow a value or a link have `overlap`';

const repairing: readonly Exact[] = ['offset', 'pagenum'];

const noRepair =
  'cannot be used with this method: only pages that are counted are requested with an overlap. Expected "offset" or "pagenum"';

const canOverlap = ({ early, named }: Paginator): boolean =>
  early !== undefined || [...(named?.values() ?? [])].some(canOverlap);

const noOverlap =
  'cannot be used with this method: it needs the whole page for the next request. Expected "response.param", "response.url", "zendesk.response.url", "link-header" or "response.header"; "pagenum" and "offset" have `prefetch`';

const noOverlapWithRules = (names: readonly string[]): string =>
  `cannot be used with ${names.join(', ')}: they need the whole page`;

/** They apply to each named paginator too, unless it has its own. */
function withCommonOptions(paginator: Paginator, common: CommonOptions): Paginator {
  const { totalKey, allowRepeatedItems, prefetch, overlapAt, endStatuses: statuses } = common;
  if ([totalKey, allowRepeatedItems, prefetch, overlapAt, statuses].every((each) => each === undefined))
    return paginator;
  const ends = statuses === undefined || statuses.length === 0 ? undefined : new Set(statuses);
  const total = totalKey === undefined ? undefined : captureKind(splitPath(totalKey));
  const withOptions = (each: Paginator): Paginator => {
    const named = each.named && new Map([...each.named].map(([key, other]) => [key, withOptions(other)] as const));
    const allowsRepeatedItems = each.allowsRepeatedItems ?? allowRepeatedItems;
    const ahead = each.prefetch ?? (canPrefetch(each) ? prefetch : undefined);
    const overlap = each.overlap ?? (canOverlap(each) ? overlapAt : undefined);
    const endStatuses = each.endStatuses ?? ends;
    return {
      ...each,
      ...defined({ total: each.total ?? total, allowsRepeatedItems, endStatuses, prefetch: ahead, overlap, named }),
    };
  };
  return withOptions(paginator);
}

/**
 * Returns the paginator that a job names; `undefined`: that of the API. Reports an unknown name to `place`.
 * docs/03-pagination.md#multiple.
 */
export function readScroller(
  place: ConfigPath,
  name: string | undefined,
  ofApi: Paginator | undefined,
): Paginator | undefined {
  if (isPhpEmpty(name) || name === undefined || ofApi === undefined) return undefined;
  if (ofApi.named === undefined) {
    place.warn('scroller-not-used', 'not used: the method of `api.pagination` is not "multiple"');
    return undefined;
  }
  const choice = choosePaginator(ofApi, name);
  if ('paginator' in choice) return choice.paginator;
  place.problem(`unknown scroller, expected ${oneOfNames(choice.names)}${didYouMean(name, choice.names)}`);
  return undefined;
}

function readMethod(
  place: ConfigPath,
  pagination: ExactObject,
  names: Names,
  registries: Registries,
): Paginator | undefined {
  const besides = otherKeys(registries);
  if (isPhpEmpty(pagination.get('method'))) {
    if (hasOnlyConditions(pagination, registries)) return registries.none;
    readSection(place, pagination, { besides: ['method', ...besides] });
    place
      .at('method')
      .warn(
        'no-method',
        `without it each job sends one request; expected ${oneOfNames(Object.keys(registries.paginators))}`,
      );
    return registries.none;
  }
  const chosen = chooseComponent(place, pagination, registries.paginators, { key: 'method', besides }, names);
  return createNow(place, chosen, contextAt(place, names, registries));
}

/** The keys beside any method. */
const otherKeys = ({ stopRules }: Registries): readonly string[] => [
  ...Object.keys(stopRules),
  ...Object.keys(besideMethod),
];

const hasOnlyConditions = (pagination: ExactObject, registries: Registries): boolean =>
  [...pagination.keys()].every((key) => key === 'method' || otherKeys(registries).includes(key));

function contextAt(place: ConfigPath, names: Names, registries: Registries): PaginationContext {
  return {
    make(value, ...steps) {
      const at = place.at(...steps);
      const inner = readValue(at, value, object);
      return inner === undefined ? undefined : readPagination(at, inner, names, registries);
    },
    problem: (message, ...steps) => place.at(...steps).problem(message),
  };
}

function readStops(
  place: ConfigPath,
  pagination: ExactObject,
  { stopRules }: Registries,
): readonly StopRule[] | undefined {
  const written = Object.entries(stopRules).filter(([key]) => !isPhpEmpty(pagination.get(key)));
  const rules = written.map(([key, { fields, create }]) => {
    const at = place.at(key);
    const given = pagination.get(key) ?? null;
    const options = readObject(at, given, fields);
    if (key === 'nextPageFlag' && isObject(given)) noteDottedFlag(at.at('field'), given.get('field'));
    if (options === undefined) return undefined;
    return createNow(at, () => create(options as never, undefined), undefined); // validated just now by its own fields
  });
  return combineList(rules);
}
