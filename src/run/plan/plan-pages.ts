/** The pages of a job as its paginator would request them, tried on made-up responses: nothing is sent. */
import { type Exact, ExactNumber } from '../../core/json/exact.js';
import type { Job } from '../../core/model/job.js';
import type { Page } from '../../core/model/page.js';
import type { PageRequest } from '../../core/model/request.js';
import { isStop, type Paginator } from '../../pagination/types.js';

/** The first requests of a job. */
export interface PlannedPages {
  readonly first: PageRequest;
  /** The second one; undefined: it cannot be known without a response, or there is none. */
  readonly second: PageRequest | undefined;
  /** The values of a response that the second one depends on: paths, `the items`, or the name of a header. */
  readonly reads: readonly string[];
  /** The reasons for an end, as in a summary. */
  readonly ends: readonly string[];
}

/** A full page of a job whose size is not known. */
const usualCount = 1000;

/** Tries a paginator on full, short and empty pages. `at` is the current time, in epoch ms. */
export function planPages(paginator: Paginator, job: Job, baseUrl: string, at: number): PlannedPages {
  const first = paginator.first(job);
  const size = paginator.sizeOf?.(job) ?? 0;
  const full = size > 0 ? size : usualCount;
  const given = { paginator, job, first, baseUrl, at };
  const steps = madeUp(paginator, baseUrl).map((values) => step({ ...given, values, count: full }));
  const second = steps.find((each) => each !== undefined && typeof each !== 'string');
  const values = madeUp(paginator, baseUrl)[steps.indexOf(second)] ?? noValues;
  const ends = [
    step({ ...given, values: noValues, count: full }),
    step({ ...given, values, count: full - 1 }),
    step({ ...given, values, count: 0 }),
    step({ ...given, values: noValues, count: 0 }),
  ];
  const repeats = paginator.single === true || paginator.judgesRepeats === true ? [] : [repeat];
  const statuses = paginator.single === true ? [] : [...(paginator.endStatuses ?? [])].map((each) => `status ${each}`);
  return {
    first,
    second: typeof second === 'string' ? undefined : second,
    reads: readsOf(paginator),
    ends: [
      ...new Set([
        ...ends.flatMap((each) => (typeof each === 'string' ? [general(each, full)] : [])),
        ...statuses,
        ...repeats,
      ]),
    ],
  };
}

/** Ends every method that has no rule of its own for it. */
const repeat = 'a page identical to the one before it';

/** A reason names the items of the made-up page. */
const general = (reason: string, full: number): string =>
  reason.replace(` (${full - 1} of ${full})`, '').replace(` (0 of ${full})`, '');

function readsOf({ captures, headers, fold }: Paginator): readonly string[] {
  return [
    ...captures.filter(({ silent }) => silent !== true).map(({ text }) => `\`${text}\` of the response`),
    ...(headers ?? []).map((name) => `the header \`${name}\``),
    ...(fold === undefined ? [] : ['the items of the page']),
  ];
}

interface Values {
  readonly of: (path: string) => Exact | undefined;
  readonly link: string | undefined;
  readonly memo: Exact | undefined;
}

const noValues: Values = { of: () => undefined, link: undefined, memo: undefined };

/** Values that a response may have: a text that names its path, a link, a number. */
function madeUp({ captures }: Paginator, baseUrl: string): readonly Values[] {
  const link = new URL('?next=...', baseUrl).href;
  const memo = '1000';
  const texts = [(path: string) => `<${path}>`, () => link, () => new ExactNumber('1000')];
  return captures.length === 0 ? [{ of: () => undefined, link, memo }] : texts.map((of) => ({ of, link, memo }));
}

/** A header whose value is sent names itself, as a path does; any other has a link. */
const headersOf = (
  { headers = [], cursor }: Paginator,
  link: string,
): readonly (readonly [string, readonly string[]])[] =>
  headers.map((name) => [name, [cursor !== undefined ? `<${name}>` : headerWith(name, link)]] as const);

const headerWith = (name: string, link: string): string => (name === 'link' ? `<${link}>; rel="next"` : link);

interface Trial {
  readonly paginator: Paginator;
  readonly job: Job;
  readonly first: PageRequest;
  readonly baseUrl: string;
  readonly at: number;
  readonly values: Values;
  readonly count: number;
}

/** The next request, or the reason for an end; undefined: this method cannot read the made-up page. */
function step({ paginator, job, first, baseUrl, at, values, count }: Trial): PageRequest | string | undefined {
  const envelope = paginator.captures.map(({ text }) => [text, { value: values.of(text), beside: [] }] as const);
  const page: Page = {
    request: first,
    index: 0,
    count,
    received: count,
    items: count,
    volume: 0,
    address: baseUrl,
    startedAt: at,
    takenAt: at,
    envelope: new Map(envelope),
    headers: new Map(values.link === undefined ? [] : headersOf(paginator, values.link)),
    ...(values.memo === undefined ? {} : { memo: values.memo }),
  };
  try {
    const next = paginator.next(job, page);
    return isStop(next) ? next.stop : next;
  } catch {
    return undefined;
  }
}
