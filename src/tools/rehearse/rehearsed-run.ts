/** One run of a rehearsal: the real engine and transport, with requests sent to the server of the rehearsal. */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ndjson } from '../../../sinks/files/ndjson.js';
import { stateFolder } from '../../checkpoint/store/folder-store.js';
import type { EnvironmentVariables } from '../../config/env.js';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import type { ExactObject } from '../../core/json/exact.js';
import type { HttpRequest } from '../../core/model/request.js';
import { withHeader } from '../../core/url/headers.js';
import type { EngineExchanges, RecordingContext } from '../../http/exchanges.js';
import { headOf } from '../../http/response.js';
import type { Handler } from '../../http/types.js';
import { startShortClock } from '../../recording/clock.js';
import { maskRequest, ofWholeFile } from '../../recording/mask-request.js';
import { createRandom } from '../../recording/random.js';
import { run } from '../../run/extract.js';
import type { RunOptions } from '../../run/options.js';
import type { Output } from './compare-outputs.js';
import { askedHeader, unknownHeader } from './faulty-server.js';

export interface RehearsedRun {
  readonly content: ExactObject;
  readonly env: EnvironmentVariables;
  /** Which jobs run, and what is a failure. */
  readonly options: Pick<RunOptions, 'jobs' | 'strict' | 'allow'>;
  readonly port: number;
  /** The folder of the state and of the output. */
  readonly folder: string;
  /** When the recorded run began, in epoch ms. */
  readonly startedAt: number;
  readonly seed: number;
}

/** Runs to the end, or continues the run of the folder. Resolves with its failure; never rejects. */
export async function rehearsedRun(rehearsed: RehearsedRun): Promise<ExtractError | undefined> {
  const { content, env, options, port, folder, startedAt, seed } = rehearsed;
  const exchanges = sentTo(port, startedAt, seed);
  try {
    await mkdir(outputOf(folder), { recursive: true });
    const to = ndjson(outputOf(folder));
    const store = stateFolder(join(folder, 'state'));
    await run(content, { ...options, to, store, resume: 'only', env, exchanges });
    return undefined;
  } catch (thrown) {
    return asExtractError(thrown);
  } finally {
    await exchanges.close();
  }
}

const outputOf = (folder: string): string => join(folder, 'out');

/** The published files of the run in the folder. */
export async function readOutput(folder: string): Promise<Output> {
  const out = outputOf(folder);
  const entries = await readdir(out, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ndjson'));
  const read = files.map(async ({ name, parentPath }) => {
    const path = join(parentPath, name);
    return [path.slice(out.length + 1), await readFile(path, 'utf8')] as const;
  });
  return new Map(await Promise.all(read));
}

/** Each request goes to the server of the rehearsal, over a real connection. */
function sentTo(port: number, startedAt: number, seed: number): EngineExchanges {
  const clock = startShortClock(startedAt);
  return {
    isReplay: true,
    random: createRandom(seed),
    around: (transport, shared) => sending(transport, shared, port),
    async close() {
      clock.stop();
      return { exchanges: 0, masked: 0, unused: 0 };
    },
  };
}

const sending =
  (transport: Handler, { secrets }: RecordingContext, port: number): Handler =>
  async (request, context) => {
    const asked = maskRequest(ofWholeFile(request, context), secrets);
    const text = Buffer.from(JSON.stringify(asked)).toString('base64url');
    const sent: HttpRequest = {
      ...request,
      url: `http://127.0.0.1:${port}/`,
      headers: withHeader(request.headers, askedHeader, text),
    };
    const response = await transport(sent, context);
    const unknown = response.headers[unknownHeader];
    if (unknown === undefined) return { ...headOf(response), request, body: response.body };
    response.body.cancel();
    const message = unknown === 'end' ? 'the run does not end' : 'the recording has no such request';
    throw new ExtractError('ERR_REPLAY', `${asked.method} ${asked.url}: ${message}`);
  };
