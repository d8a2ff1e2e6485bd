/**
 * Reads `api.pagination`: a method and stopping conditions; with `multiple`, further paginations in it.
 * docs/08-pagination.md.
 */
import { type Exact, type ExactObject, emptyObject, isObject, splitPath, stringifyExact } from '../core/json/exact.js';
import { didYouMean } from '../core/util/suggest.js';
import type { Names } from '../language/check-expressions.js';
import type { ConfigPath } from '../language/config-path.js';
import { name, object, truth, wholeNumber } from '../language/fields.js';
import { shape } from '../language/object-fields.js';
import { check, isPhpEmpty, oneOfNames, read, section } from '../language/read.js';
import type { AnyFields } from '../language/types.js';
import { captureKind } from '../pagination/capture.js';
import { choosePaginator } from '../pagination/multiple.js';
import { type StopRule, withStops } from '../pagination/stop-rule.js';
import type { PaginationContext, Paginator } from '../pagination/types.js';
import { choose, makeNow } from './component.js';
import type { Registries } from './registries.js';

/** Keys beside any method that are no stopping conditions. */
export const besideMethod = {
  // Without effect, but validated as in Generic Extractor. docs/12-compatibility.md#the-document.
  pages: { type: wholeNumber, summary: 'a whole number; has no effect' },
  totalKey: {
    type: name,
    summary: 'path in each response to the total number of items',
    otherwise: 'well-known places, if they are unambiguous',
  },
  allowRepeatedItems: {
    type: truth,
    summary: 'whether pages with the items of earlier pages are correct',
    default: 'false',
  },
} satisfies AnyFields;

/** The reference page about repeated items. */
export const repeatsCheck = {
  summary: 'beside any method, or in a job: allows repeated items',
  fields: { allowRepeatedItems: besideMethod.allowRepeatedItems },
  rules: [
    'Without it, a page with the items of the page before it is the warning `repeated-items`. Ten such pages in a row, or a sequence of pages whose items repeat, are the error `ERR_LOOP`.',
    'The value in a job takes precedence over its pagination. In a data folder, repeated items are only a warning.',
    'It does not allow pages that repeat as a whole, with everything around the items.',
  ],
  example: '{ "method": "response.url", "urlKey": "next", "allowRepeatedItems": true }',
};

/** The reference page about the total. */
export const totalCheck = {
  summary: 'beside any method, or without one: compares the number of items with the total that the API reports',
  fields: { totalKey: besideMethod.totalKey },
  rules: [
    'If a job ends by itself with another number, that is the warning `total-mismatch`. If the first page has no number there, that is the warning `no-total`.',
    'Without it, well-known names and headers are used, such as `meta.total` and `X-Total-Count`, if they are unambiguous.',
    'There is no warning for a job that skips the beginning, or that a condition or a limit has ended.',
  ],
  example: '{ "method": "pagenum", "limit": 100, "totalKey": "meta.total" }',
};

/** Returns `undefined` if something does not fit, after reporting it to `place`. */
export function readPagination(
  place: ConfigPath,
  value: Exact = null,
  names: Names,
  registries: Registries,
): Paginator | undefined {
  const pagination = isPhpEmpty(value) ? emptyObject : check(place, value, object);
  if (pagination === undefined) return undefined;
  const rules = readStops(place, pagination, registries);
  const besides = check(place, pagination, shape(besideMethod)) ?? {};
  const method = readMethod(place, pagination, names, registries);
  if (method === undefined || rules === undefined) return undefined;
  const scroller = located(place, withBesides(method, besides));
  // A single request ends by itself, before any condition.
  return method === registries.none ? scroller : withStops(scroller, rules);
}

/**
 * Reads the pagination of a job, which replaces that of the API with its conditions. Returns `undefined` for that of
 * the API, or if something does not fit, after reporting it to `place`, the place of the job. See
 * docs/08-pagination.md#of-one-job.
 */
export function readOwnPagination(
  place: ConfigPath,
  job: ExactObject,
  names: Names,
  registries: Registries,
): Paginator | undefined {
  const [own, scroller] = [job.get('pagination'), job.get('scroller')];
  if (isPhpEmpty(own)) return undefined;
  const at = place.at('pagination');
  if (!isPhpEmpty(scroller)) {
    place.at('scroller').problem(`cannot be used with ${at.path}: remove one of them`);
  }
  if (isObject(own) && isPhpEmpty(own.get('method')) && hasOnlyConditions(own, registries)) {
    at.at('method').warn(
      'no-method',
      'without it the job sends one request: it does not inherit from `api.pagination`',
    );
  }
  return readPagination(at, own, names, registries);
}

/** Adds the places of parameters that are paths; nested paginators have theirs already. */
function located(place: ConfigPath, scroller: Paginator): Paginator {
  const { bodyParams } = scroller;
  if (bodyParams === undefined) return scroller;
  return { ...scroller, bodyParams: bodyParams.map((param) => ({ at: place.at(param.key).path, ...param })) };
}

/** In other keys such a text is a path; here it is a name: valid, but rarely intended. */
function noteDottedFlag(place: ConfigPath, field: Exact = null): void {
  if (typeof field !== 'string' || !/[^.]\.[^.]/.test(field)) return;
  const path = stringifyExact(field.split('.')).replaceAll(',', ', ');
  place.note('flag-is-name', `a name at the top level of the response; did you mean the path ${path}?`);
}

interface Besides {
  readonly totalKey?: string;
  readonly allowRepeatedItems?: boolean;
}

/** They apply to each named paginator too, unless it has its own. */
function withBesides(scroller: Paginator, { totalKey, allowRepeatedItems }: Besides): Paginator {
  if (totalKey === undefined && allowRepeatedItems === undefined) return scroller;
  const total = totalKey === undefined ? undefined : captureKind(splitPath(totalKey));
  const having = (each: Paginator): Paginator => {
    const ofTotal = each.total ?? total;
    const ofRepeats = each.allowsRepeatedItems ?? allowRepeatedItems;
    return {
      ...each,
      ...(ofTotal === undefined ? {} : { total: ofTotal }),
      ...(ofRepeats === undefined ? {} : { allowsRepeatedItems: ofRepeats }),
      ...(each.named === undefined
        ? {}
        : { named: new Map([...each.named].map(([key, other]) => [key, having(other)] as const)) }),
    };
  };
  return having(scroller);
}

/**
 * Returns the paginator that a job names; `undefined`: that of the API. Reports an unknown name to `place`.
 * docs/08-pagination.md#multiple.
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
  const found = choosePaginator(ofApi, name);
  if ('scroller' in found) return found.scroller;
  place.problem(`unknown scroller, expected ${oneOfNames(found.names)}${didYouMean(name, found.names)}`);
  return undefined;
}

function readMethod(
  place: ConfigPath,
  pagination: ExactObject,
  names: Names,
  registries: Registries,
): Paginator | undefined {
  const besides = besidesOf(registries);
  if (isPhpEmpty(pagination.get('method'))) {
    if (hasOnlyConditions(pagination, registries)) return registries.none;
    section(place, pagination, { besides: ['method', ...besides] });
    place
      .at('method')
      .warn(
        'no-method',
        `without it each job sends one request; expected ${oneOfNames(Object.keys(registries.scrollers))}`,
      );
    return registries.none;
  }
  const chosen = choose(place, pagination, registries.scrollers, { key: 'method', besides }, names);
  return makeNow(place, chosen, needsAt(place, names, registries));
}

/** The keys beside any method. */
const besidesOf = ({ stopRules }: Registries): readonly string[] => [
  ...Object.keys(stopRules),
  ...Object.keys(besideMethod),
];

const hasOnlyConditions = (pagination: ExactObject, registries: Registries): boolean =>
  [...pagination.keys()].every((key) => key === 'method' || besidesOf(registries).includes(key));

function needsAt(place: ConfigPath, names: Names, registries: Registries): PaginationContext {
  return {
    make(value, ...steps) {
      const at = place.at(...steps);
      const inner = check(at, value, object);
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
    const options = read(at, given, fields);
    if (key === 'nextPageFlag' && isObject(given)) noteDottedFlag(at.at('field'), given.get('field'));
    if (options === undefined) return undefined;
    return makeNow(at, () => create(options as never, undefined), undefined); // validated just now by its own fields
  });
  const fit = rules.filter((rule) => rule !== undefined);
  return fit.length === rules.length ? fit : undefined;
}
