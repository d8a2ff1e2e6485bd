/** A rule on responses: a condition, and what becomes of a page that meets it. docs/14-any-response.md#rules. */
import type { Exact } from '../../core/json/exact.js';
import { includesStatus, meets, type ResponseCondition, type ResponseView } from './response-condition.js';

export type RuleAction = 'fail' | 'retry' | 'end' | 'skip' | 'wait' | 'login';

/** A header, its name in lower case, or a path in the body. */
export type ResponsePlace = NonNullable<ResponseCondition['place']>;

export interface ResponseRule {
  readonly when: ResponseCondition;
  readonly action: RuleAction;
  /** How long to wait before the request is sent again; absent: as for any retry. */
  readonly wait?: ResponsePlace | { readonly seconds: number };
  /** Where the response has a text for people. */
  readonly message?: ResponsePlace;
  /** The path of the rule in the document. */
  readonly path: string;
}

/** The first status of failures. */
const leastFailure = 400;

/** The first rule that the response meets. A rule without `status` is for successful responses. */
export const ruleFor = (rules: readonly ResponseRule[], response: ResponseView): ResponseRule | undefined =>
  rules.find(({ when }) => (when.status !== undefined || response.status < leastFailure) && meets(when, response));

/** Whether a rule names the status. */
export const isRuled = (rules: readonly ResponseRule[], status: number): boolean =>
  rules.some(({ when }) => when.status !== undefined && includesStatus(when.status, status));

/** Whether a rule names a status of failures, or one of these. */
export const rulesFailures = (rules: readonly ResponseRule[], others: ReadonlySet<number>): boolean =>
  rules.some(({ when }) => when.status?.some(([, last]) => last >= leastFailure)) ||
  [...others].some((status) => isRuled(rules, status));

/** The value at a place of the response. */
export const valueAt = (response: ResponseView, place: ResponsePlace): Exact | undefined =>
  'header' in place ? response.header(place.header) : response.at(place.segments);

/** All places that the rules look at. */
export const placesOf = (rules: readonly ResponseRule[]): readonly ResponsePlace[] =>
  rules.flatMap(({ when, wait, message }) => {
    const places = [when.place, wait !== undefined && 'seconds' in wait ? undefined : wait, message];
    return places.filter((place) => place !== undefined);
  });
