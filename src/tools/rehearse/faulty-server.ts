/** A server of this machine that answers from a recording, with one fault at one page. */
import type { IncomingMessage } from 'node:http';
import { createServer, type ServerResponse } from 'node:http';
import type { MaskedRequest } from '../../recording/recording-lines.js';
import { type LocalServer, listenOn } from '../local-server.js';
import type { FaultName } from './faults.js';
import { itemsOf, withItems } from './page-items.js';
import { createAnswerPool, type RecordedAnswer, type SentAnswer } from './recorded-answers.js';

/** The header in which a request says what it asks the API for: the masked request as JSON, in base64url. */
export const askedHeader = 'X-Rehearsed-Request';

/** The header of an answer that the recording has not. */
export const unknownHeader = 'x-rehearsed-unknown';

/** A fault at a page. */
export interface PlacedFault {
  readonly name: FaultName;
  /** The index of its answer in the recording. */
  readonly answer: number;
  /** The pages of its walk, as indexes in the recording, in their order. */
  readonly walk: readonly number[];
  /** Where a body is cut: a part of it, above 0 and below 1. */
  readonly cutAt: number;
  /** Called in the middle of the body of a page at which the process is killed. */
  readonly onKill?: () => void;
}

export interface FaultyServer extends LocalServer {
  /** Begins a run: all answers are there again. Absent: it has no fault. */
  begin(fault?: PlacedFault): void;
  /** Continues the run without the fault. */
  heal(): void;
  /** The indexes of the answers of this run, in their order, each as often as it was sent. */
  readonly sent: readonly number[];
  /** This run has asked for so much that it has no end. */
  readonly isEndless: boolean;
  /** This run has asked for what the recording has not. */
  readonly isUnknown: boolean;
}

/** Starts it on a free port. */
export async function startFaultyServer(answers: readonly RecordedAnswer[]): Promise<FaultyServer> {
  let pool = createAnswerPool(answers);
  let fault: PlacedFault | undefined;
  let sent: number[] = [];
  let asked = 0;
  let [isFired, isUnknown, isEndless] = [false, false, false];
  const server = createServer({ maxHeaderSize: 4 * 1024 * 1024 }, (request, response) => {
    request.resume().once('end', () => respond(request, response));
  });
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const index = pool.find(askedOf(request));
    const recorded = index === undefined ? undefined : answers[index];
    const further = recorded === undefined && isFired ? furtherAnswer(fault, answers) : undefined;
    isUnknown ||= recorded === undefined && further === undefined;
    asked += 1;
    isEndless ||= asked > mostRequests(answers.length);
    if (further !== undefined && !isEndless) {
      send(response, further);
      return;
    }
    if (index === undefined || recorded === undefined || isEndless) {
      response.writeHead(404, { [unknownHeader]: isEndless ? 'end' : 'request' }).end();
      return;
    }
    sent.push(index);
    const isHere = fault?.answer === index;
    const isDue = isHere && !isFired;
    const changed = fault === undefined ? undefined : changedAnswer(fault, { index, isDue, answers });
    if (isHere || changed !== undefined) isFired = true;
    if (changed !== undefined) send(response, changed);
    else if (fault !== undefined && isDue) sendBroken(response, recorded, fault);
    else {
      // Only an answer as recorded is used up: a request of the same text may get the next one.
      response.once('finish', () => pool.done(index));
      send(response, recorded);
    }
  };
  const local = await listenOn(server, { host: '127.0.0.1', port: 0 });
  return {
    ...local,
    begin(next) {
      [pool, fault, sent, asked] = [createAnswerPool(answers), next, [], 0];
      [isFired, isUnknown, isEndless] = [false, false, false];
    },
    heal() {
      fault = undefined;
    },
    get sent() {
      return sent;
    },
    get isEndless() {
      return isEndless;
    },
    get isUnknown() {
      return isUnknown;
    },
  };
}

/** A run that asks more often has no end. */
const mostRequests = (answers: number): number => 10 * answers + 50;

const askedOf = ({ headers }: IncomingMessage): MaskedRequest =>
  JSON.parse(Buffer.from(String(headers[askedHeader.toLowerCase()]), 'base64url').toString());

interface RequestedAnswer {
  readonly index: number;
  /** It is the page of the fault, for the first time. */
  readonly isDue: boolean;
  readonly answers: readonly RecordedAnswer[];
}

const json = { 'content-type': 'application/json' };
const textAnswer = (status: number, text: string, headers: SentAnswer['headers'] = json): SentAnswer => ({
  status,
  headers,
  body: Buffer.from(text),
});

const limited = '{"error":{"code":"rate_limited","message":"too many requests"}}';

/** The answer of a fault that is a complete response. Undefined: the fault is none here. */
function changedAnswer(fault: PlacedFault, { index, isDue, answers }: RequestedAnswer): SentAnswer | undefined {
  const recorded = answers[index];
  const place = fault.walk.indexOf(index);
  const from = fault.walk.indexOf(fault.answer);
  if (recorded === undefined) return undefined;
  if (place >= from && place !== -1) {
    if (fault.name === 'forbidden') return textAnswer(403, '{"error":{"message":"forbidden"}}');
    if (fault.name === 'cycle') return answers[fault.walk[place - from] ?? index];
    if (fault.name === 'inserted' || fault.name === 'deleted') return moved(fault, place, answers);
  }
  if (!isDue) return undefined;
  switch (fault.name) {
    case 'rate-limited':
      return textAnswer(429, limited, { ...json, 'retry-after': '2' });
    case 'rate-limited-plain':
      return textAnswer(429, limited);
    case 'server-error':
      return textAnswer(500, '{"error":{"message":"internal error"}}');
    case 'expired':
      return textAnswer(401, '{"error":{"message":"the token has expired"}}');
    case 'half-json':
      return { ...recorded, body: recorded.body.subarray(0, cutOf(recorded.body, fault.cutAt)) };
    case 'html':
      return textAnswer(200, '<!DOCTYPE html><html><body>We will be back soon</body></html>', {
        'content-type': 'text/html; charset=utf-8',
      });
    case 'error-in-200':
      return textAnswer(200, '{"error":{"code":"internal","message":"try again later"}}');
    case 'repeated':
      return answers[fault.walk[from - 1] ?? index];
    case 'empty-page': {
      const page = itemsOf(recorded.body);
      return page === undefined ? undefined : { ...recorded, body: withItems(page, []) };
    }
    default:
      return undefined;
  }
}

/** The answer to a request after the last page, which a fault leads to. */
function furtherAnswer(fault: PlacedFault | undefined, answers: readonly RecordedAnswer[]): SentAnswer | undefined {
  const last = answers[fault?.walk.at(-1) ?? -1];
  const page = last === undefined ? undefined : itemsOf(last.body);
  if (fault?.name === 'inserted' && last !== undefined && page !== undefined)
    return { ...last, body: withItems(page, []) };
  return fault?.name === 'cycle' ? answers[fault.walk[0] ?? -1] : undefined;
}

/** The page when an item before it was inserted or deleted. */
function moved({ name, walk, answer }: PlacedFault, place: number, answers: readonly RecordedAnswer[]) {
  const from = walk.indexOf(answer);
  const pageAt = (at: number) => itemsOf(answers[walk[at] ?? -1]?.body ?? Buffer.alloc(0));
  const recorded = answers[walk[place] ?? -1];
  const page = pageAt(place);
  if (recorded === undefined || page === undefined) return undefined;
  const isLast = place === walk.length - 1;
  const before = pageAt(place - 1)?.items.at(-1);
  const after = isLast ? undefined : pageAt(place + 1)?.items[0];
  const items =
    name === 'inserted'
      ? [...(before === undefined || place < from ? [] : [before]), ...page.items.slice(0, isLast ? undefined : -1)]
      : [...page.items.slice(1), ...(after === undefined ? [] : [after])];
  return { ...recorded, body: withItems(page, items) };
}

const cutOf = ({ length }: Buffer, at: number): number => Math.max(1, Math.min(length - 1, Math.floor(length * at)));

function send(response: ServerResponse, { status, headers, body }: SentAnswer): void {
  const names = Object.entries(headers).map(
    ([name, value]) => [name, typeof value === 'string' ? value : [...value]] as const,
  );
  response.writeHead(status, { ...Object.fromEntries(names), 'content-length': body.length }).end(body);
}

/** Faults in the middle of a body. */
const cuts: ReadonlySet<FaultName> = new Set<FaultName>(['cut', 'short', 'stalled', 'killed']);

/** Faults of the connection. */
function sendBroken(response: ServerResponse, answer: SentAnswer, { name, cutAt, onKill }: PlacedFault): void {
  const { status, headers, body } = answer;
  if (name === 'refused') return void response.socket?.destroy();
  if (name === 'slow') return; // the client leaves
  if (!cuts.has(name)) {
    send(response, answer);
    return;
  }
  const sentNow = body.subarray(0, cutOf(body, cutAt));
  const names = Object.entries(headers).map(
    ([header, value]) => [header, typeof value === 'string' ? value : [...value]] as const,
  );
  response.writeHead(status, { ...Object.fromEntries(names), 'content-length': body.length });
  response.write(sentNow, () => {
    if (name === 'cut') response.socket?.resetAndDestroy();
    else if (name === 'short') response.socket?.end();
    else onKill?.();
  });
}
