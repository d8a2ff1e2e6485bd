/** The faults of a rehearsal: what goes wrong, and which keys of a configuration help. */
import type { ExactObject } from '../../core/json/exact.js';
import { isArray, isObject, stringifyExact } from '../../core/json/exact.js';

/** A key that helps against a fault. */
export interface Cure {
  /** A path in the configuration, or an option of the command. */
  readonly key: string;
  /** What is tried as the value of the key, for people. */
  readonly value?: string;
  /** Changes that are tried. Absent: they depend on the API, or change requests, which a recording cannot answer. */
  readonly set?: (content: ExactObject) => readonly string[];
  /** It continues a run that ended with an error: of no use for items that are lost or repeated. */
  readonly onlyIfEnded?: true;
}

export interface RehearsedFault {
  readonly summary: string;
  /** It needs a page before the one where it happens. */
  readonly needsEarlier?: true;
  readonly cures: readonly Cure[];
}

const maxRetries = 'api.retryConfig.maxRetries=5';
const usualCodes = [500, 502, 503, 504, 408, 420, 429];

/** Retries of statuses. */
const statuses = (...codes: readonly number[]): Cure => ({
  key: 'api.retryConfig',
  value: `{"maxRetries":5,"http":{"codes":${JSON.stringify(codes)}}}`,
  set: () => [maxRetries, `api.retryConfig.http.codes=${JSON.stringify(codes)}`],
});

/** Retries of failures of a connection. */
const failures: Cure = {
  key: 'api.retryConfig',
  value: '{"maxRetries":5}, with all curl.codes',
  set: () => [maxRetries, 'api.retryConfig.curl.codes=[28,6,7,35,52,56,18]'],
};

const resume: Cure = { key: '--state and --resume', onlyIfEnded: true };
const rule = (when: string): Cure => ({
  key: 'api.responseRules',
  value: `[{"when":${when},"then":"retry"}]`,
  set: (content) => [`api.responseRules=[${[`{"when":${when},"then":"retry"}`, ...rulesOf(content)].join(',')}]`],
});
const repair: Cure = { key: 'api.pagination.repair' };
const ends: readonly Cure[] = [{ key: 'api.pagination.nextPageFlag' }, { key: 'api.pagination.totalKey' }];

function rulesOf(content: ExactObject): readonly string[] {
  const api = content.get('api');
  const rules = isObject(api) ? api.get('responseRules') : undefined;
  return isArray(rules) ? rules.map((each) => stringifyExact(each)) : [];
}

export const faults = {
  'rate-limited': { summary: 'status 429 once, with Retry-After', cures: [statuses(...usualCodes)] },
  'rate-limited-plain': { summary: 'status 429 once, without a delay', cures: [statuses(...usualCodes)] },
  'server-error': { summary: 'status 500 once', cures: [statuses(...usualCodes)] },
  refused: { summary: 'the connection is closed before a response, once', cures: [failures] },
  cut: { summary: 'the connection is reset in the middle of a body, once', cures: [failures] },
  short: { summary: 'a body ends before its Content-Length, once', cures: [failures] },
  slow: { summary: 'no response within the time-out, once', cures: [failures] },
  stalled: { summary: 'a body stops in its middle until the time-out, once', cures: [failures] },
  expired: { summary: 'status 401 once, as of a login that has expired', cures: [statuses(...usualCodes, 401)] },
  forbidden: { summary: 'status 403 from this page on', cures: [resume] },
  'half-json': { summary: 'a complete response with half of its JSON, once', cures: [resume] },
  html: { summary: 'an HTML page with status 200, once', cures: [resume] },
  'error-in-200': {
    summary: 'an error in a response with status 200, once',
    cures: [rule('{"path":"error","exists":true}')],
  },
  'empty-page': { summary: 'a page without its items, once', cures: ends },
  repeated: { summary: 'the page before again, once', needsEarlier: true, cures: [] },
  cycle: { summary: 'pages begin again at the first', needsEarlier: true, cures: [resume] },
  inserted: {
    summary: 'an item is inserted before the page: all items move by one',
    needsEarlier: true,
    cures: [repair],
  },
  deleted: {
    summary: 'an item before the page is deleted: all items move by one',
    needsEarlier: true,
    cures: [repair],
  },
  killed: { summary: 'kill -9 while the page arrives, then a resume', cures: [] },
} satisfies Record<string, RehearsedFault>;

export type FaultName = keyof typeof faults;

export const faultNames = Object.keys(faults) as FaultName[]; // the keys of the table
