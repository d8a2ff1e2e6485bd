/** Finds `await` for a request that creates a report: polls it until it is done, and reads its first items. */
import { setTimeout as passed } from 'node:timers/promises';
import { asyncScheduler } from 'rxjs';
import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, type ExactObject, emptyObject, fromPlain, isObject } from '../../core/json/exact.js';
import { parseIfJson } from '../../core/json/exact-parse.js';
import { retryAfter } from '../../http/retry-policy.js';
import { configOf, type Draft } from './draft.js';
import { findLists } from './find-lists.js';
import type { Look } from './first-look.js';
import { initError } from './init-error.js';
import type { Answer, Probe, Prober } from './prober.js';
import {
  documentPlaces,
  type FetchPlace,
  isDoneWord,
  isFailedWord,
  isPendingWord,
  type NamedText,
  newLinks,
  pollPlaces,
  type ReportPlace,
  resultPlaces,
  statusIn,
} from './report-places.js';

interface Reporting {
  readonly prober: Prober;
  readonly draft: Draft;
  readonly created: Exact | undefined;
  readonly signal: AbortSignal | undefined;
  say(line: string): void;
}

/** The first wait between two polls, in ms: each is twice the one before it. So ten polls take 51 seconds. */
const firstWait = 100;
const mostPolls = 10;
/** In ms, of all of them, also of those that the API asks for. */
const longestWaits = 60_000;
/** Requests that polls leave for the items. */
const reserved = 3;

const bodyOf = ({ body }: Answer): Exact | undefined => parseIfJson(body);

/** The look at the items of a report; undefined: the response is not that of a request that creates one. */
export async function readReport(
  given: Omit<Reporting, 'created'>,
  { last }: Probe,
  lookAtList: (draft: Draft) => Promise<Look>,
): Promise<Look | undefined> {
  if (last === undefined || !createsReport(last, given.draft)) return undefined;
  const reporting: Reporting = { ...given, created: bodyOf(last) };
  const places = pollPlaces(last.headers, reporting.created, given.draft.endpoint);
  if (places.length === 0) return undefined;
  given.say('the request creates a report, which is made in its own time');
  const polled = await pollUntilDone(reporting, places);
  const { look, fetch } = await findItems(reporting, polled, lookAtList);
  const report = awaitOf(given.draft, polled, fetch);
  const items = fetch.has('path') ? {} : { items: look.draft };
  return { ...look, ...items, dropped: [], draft: { ...given.draft, ...responseOf(look), await: report } };
}

const responseOf = ({ draft: { response } }: Look) => (response === undefined ? {} : { response });

/** A 202, or to a POST an object without a list, whose state is that of work in progress. */
function createsReport({ status, ...answer }: Answer, { method }: Draft): boolean {
  if (status === 202) return true;
  const body = bodyOf({ status, ...answer });
  if (method === undefined || status >= 300 || !isObject(body ?? null)) return false;
  const state = statusIn(body);
  const hasList = findLists(body ?? null).some(({ kind }) => kind !== 'map');
  return !hasList && state !== undefined && isPendingWord(state.text);
}

interface Polled {
  readonly place: ReportPlace;
  readonly answer: Answer;
  /** Responses of polls before it was done. */
  readonly before: readonly (Exact | undefined)[];
  /** Undefined: the status of the response. */
  readonly state: NamedText | undefined;
}

/** The request for a page at another endpoint, with what all requests of the draft have. */
const draftAt = ({ method: _, ...draft }: Draft, endpoint: string): Draft => ({
  ...draft,
  endpoint,
  params: emptyObject,
});

/** Polls the first place that answers until the report is done. Throws ERR_INIT if it is not. */
async function pollUntilDone(reporting: Reporting, places: readonly ReportPlace[]): Promise<Polled> {
  const { prober, draft } = reporting;
  const tried: string[] = [];
  for (const place of places) {
    const { last } = await prober.poll(configOf(draftAt(draft, place.endpoint), { dataField: '.' }));
    if (last !== undefined && last.status < 400) return pollOn(reporting, place, last);
    tried.push(`GET ${place.template} (${last?.status ?? 'no response'})`);
  }
  throw unproven(reporting, `where it says how far it is was not found: ${tried.join(', ')}`, {});
}

async function pollOn(reporting: Reporting, place: ReportPlace, first: Answer): Promise<Polled> {
  const { prober, draft, signal, say } = reporting;
  const before: (Exact | undefined)[] = [];
  let answer = first;
  let wait = firstWait;
  let waited = 0;
  for (let polls = 1; ; polls++) {
    const body = bodyOf(answer);
    const state = statusIn(body);
    if (state !== undefined && isFailedWord(state.text)) throw failed(reporting, state);
    if (isDone(answer, state)) {
      const done = state === undefined ? `status ${answer.status}` : `"${state.path.join('.')}" is "${state.text}"`;
      say(`report: ${done} after ${polls} ${polls === 1 ? 'poll' : 'polls'} of ${place.template}`);
      return { place, answer, before, state };
    }
    before.push(body);
    const pause = Math.max(wait, waitOf(answer));
    const shown = state === undefined ? `status ${answer.status}` : `"${state.path.join('.')}": "${state.text}"`;
    if (polls >= mostPolls || waited + pause > longestWaits || prober.left() <= reserved) {
      throw unproven(reporting, `it is not done after ${polls} polls (${shown})`, { poll: place });
    }
    await passed(pause, undefined, signal === undefined ? {} : { signal }).catch(() => signal?.throwIfAborted());
    waited += pause;
    wait *= 2;
    answer = (await prober.poll(configOf(draftAt(draft, place.endpoint), { dataField: '.' }))).last ?? answer;
  }
}

/** A state that is no word of a report that is done or has failed is one of a report in progress. */
const isDone = ({ status }: Answer, state: NamedText | undefined): boolean =>
  state === undefined ? status === 200 : isDoneWord(state.text);

/** In ms; 0: the response asks for no wait. */
const waitOf = ({ headers }: Answer): number =>
  Math.max(0, retryAfter({ headers }, { retryHeader: 'Retry-After' }, asyncScheduler.now()) ?? 0);

interface FoundItems {
  readonly look: Look;
  readonly fetch: ExactObject;
}

/** Looks at the places of the items, until one has some. Throws ERR_INIT if none has. */
async function findItems(
  reporting: Reporting,
  polled: Polled,
  lookAtList: (draft: Draft) => Promise<Look>,
): Promise<FoundItems> {
  const { prober, draft } = reporting;
  const tried: string[] = [];
  for (const { place, path, link } of fetchPlaces(reporting, polled)) {
    const template = place?.template;
    const endpoint = link ?? place?.endpoint ?? '';
    const found = await attempt(() => lookAtList(draftAt(draft, endpoint)));
    if (found !== undefined) return { look: found, fetch: fetchOf(template, path) };
    if (place !== undefined && path === undefined) {
      const { last } = await prober.run(configOf(draftAt(draft, endpoint), { dataField: '.' }));
      const links = last === undefined || last.status >= 400 ? [] : newLinks(bodyOf(last), []);
      for (const each of links) {
        const linked = await attempt(() => lookAtList(draftAt(draft, each.link ?? '')));
        if (linked !== undefined) return { look: linked, fetch: fetchOf(template, each.path) };
      }
    }
    tried.push(template ?? `"${path?.join('.')}"`);
  }
  const where = tried.length === 0 ? 'nothing says where' : `tried: ${tried.join(', ')}`;
  throw unproven(reporting, `it is done, and its items were not found (${where})`, {
    poll: polled.place,
    done: polled,
  });
}

function fetchPlaces({ created, draft }: Reporting, { place, answer, before, state }: Polled): readonly FetchPlace[] {
  const done = bodyOf(answer);
  const links = newLinks(done, [created, ...before]).filter(({ link }) => link !== place.endpoint);
  if (state === undefined) return [{ place }, ...links];
  return [...links, ...documentPlaces(done, [created, ...before], draft.endpoint), ...resultPlaces(place), { place }];
}

const fetchOf = (template: string | undefined, path: readonly string[] | undefined): ExactObject =>
  objectOf({
    ...(template === undefined ? {} : { endpoint: template }),
    ...(path === undefined ? {} : { path: path.join('.') }),
  });

/** Undefined: the response has no items. */
async function attempt(look: () => Promise<Look>): Promise<Look | undefined> {
  try {
    return await look();
  } catch (thrown) {
    if (thrown instanceof ExtractError) return undefined;
    throw thrown;
  }
}

/** The value of the key `await`. */
function awaitOf(draft: Draft, { place, answer, state }: Polled, fetch: ExactObject): ExactObject {
  const failedStates =
    state === undefined
      ? undefined
      : { path: state.path.join('.'), matches: '/fail|error|cancel|abort|fatal|expired/i' };
  return new Map<string, Exact>([
    ['create', createOf(draft)],
    ['poll', objectOf({ endpoint: place.template })],
    ['done', doneOf(answer, state)],
    ...(failedStates === undefined ? [] : [['failed', objectOf(failedStates)] as const]),
    ['fetch', fetch],
  ]);
}

const doneOf = ({ status }: Answer, state: NamedText | undefined): ExactObject =>
  objectOf(state === undefined ? { status } : { path: state.path.join('.'), equals: state.text });

/** `create` sends a POST unless it says otherwise. */
function createOf({ endpoint, method, params }: Draft): ExactObject {
  const members: [string, Exact][] = [['endpoint', endpoint]];
  const written = method === undefined ? 'GET' : method;
  if (written !== 'POST') members.push(['method', written]);
  if (params.size > 0) members.push(['params', params]);
  return new Map(members);
}

/** An object in JSON is an object of `Exact`. */
function objectOf(plain: object): ExactObject {
  const exact = fromPlain(plain);
  return isObject(exact) ? exact : emptyObject;
}

function failed({ prober }: Reporting, { path, text }: NamedText): ExtractError {
  return initError(
    `the report has failed: "${path.join('.')}" is "${prober.mask(text)}". Check the parameters of the request`,
  );
}

/** What was found of `await`, and what is missing. */
function unproven(
  { prober }: Reporting,
  reason: string,
  { poll, done }: { readonly poll?: ReportPlace; readonly done?: Polled },
): ExtractError {
  const known = [
    '"create": this request',
    ...(poll === undefined
      ? []
      : [`"poll": { "endpoint": "${poll.template}" } (here ${prober.mask(poll.endpoint.replace(/\?.*/s, '?...'))})`]),
    ...(done === undefined ? [] : [`"done" by ${stateOf(done)}`]),
  ];
  const missing = ['poll', 'done', 'fetch'].slice(known.length - 1).map((name) => `"${name}"`);
  return initError(
    `the request creates a report, but ${reason}. So no configuration is written. A job with \`await\` has ${known.join(', ')}; add ${missing.join(', ')}: \`rxtract help await\``,
  );
}

const stateOf = ({ answer, state }: Polled): string =>
  state === undefined ? `status ${answer.status}` : `"${state.path.join('.')}": "${state.text}"`;
