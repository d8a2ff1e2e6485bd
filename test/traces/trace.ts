/** A worked trace: a configuration, all its requests in order, byte for byte, and its output. */
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import type { Notice } from '../../src/core/model/notice.js';
import { run } from '../../src/run/extract.js';
import { json, type Reply } from '../loopback/api.js';
import { mainOrigin, type Step, startReplay } from '../loopback/replay.js';
import { unchecked } from '../unchecked.js';

type Part = Readonly<Record<string, unknown>>;

export interface Trace {
  /** Section of the rules, and the rule in plain words. */
  readonly rule: string;
  /** Members of `api` besides `baseUrl`, which is `http://api.test/v1/` unless given. */
  readonly api?: Part;
  /** Members of `config` besides the jobs. */
  readonly config?: Part;
  /** One at `users` unless given. */
  readonly jobs?: unknown;
  readonly iterations?: unknown;
  readonly credentials?: Part;
  readonly state?: object;
  /** The base path is left out. */
  readonly steps: readonly Step[];
  /** By data type; not looked at where absent. */
  readonly items?: Readonly<Record<string, readonly unknown[]>>;
  /** Codes of the warnings, none unless given. */
  readonly warnings?: readonly string[];
}

/** One exchange; values that are no reply are sent as JSON. */
export function step(request: string, reply: unknown, more: Pick<Step, 'headers' | 'body'> = {}): Step {
  return { request: request.replace(/ (?!http)/, ' /v1/'), reply: isReply(reply) ? reply : json(reply), ...more };
}

const isReply = (reply: unknown): reply is Reply =>
  typeof reply === 'object' && reply !== null && ('body' in reply || 'status' in reply);

/** The document as in a data folder. */
export function documentOf({ api = {}, config = {}, jobs, iterations, credentials }: Trace): object {
  return {
    parameters: {
      api: { baseUrl: `${mainOrigin}/v1/`, ...api },
      config: { debug: false, outputBucket: 'shop', jobs: jobs ?? [{ endpoint: 'users' }], ...config },
      ...(iterations === undefined ? {} : { iterations }),
    },
    ...(credentials === undefined ? {} : { authorization: { oauth_api: { credentials } } }),
  };
}

/** Runs it against loopback servers and compares requests and output with the trace. */
export async function follow(trace: Trace): Promise<void> {
  const replay = await startReplay(trace.steps);
  try {
    const to = memory();
    const notices: Notice[] = [];
    const document = unchecked(JSON.parse(replay.resolve(JSON.stringify(documentOf(trace)))));
    const notify = (notice: Notice) => void notices.push(notice);
    await run(document, { to, notify, ...(trace.state === undefined ? {} : { state: trace.state }) });
    assert.equal(replay.asked().split('\n'), replay.expected().split('\n'));
    for (const [dataType, items] of Object.entries(trace.items ?? {})) assert.equal(to.items(dataType), items);
    const warnings = notices.filter(({ level }) => level === 'warning').map(({ code }) => code);
    assert.equal(warnings, trace.warnings ?? [], notices.map(({ message }) => message).join('\n'));
  } finally {
    await replay.close();
  }
}
