/** The answers of a recording in memory, each for the requests that it was recorded for. */
import { differences, isSameTarget } from '../../recording/mask-request.js';
import { readRecording } from '../../recording/recorded-exchanges.js';
import { type BeginLine, type MaskedRequest, recordingError } from '../../recording/recording-lines.js';

/** An answer as it is sent. */
export interface SentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

export interface RecordedAnswer extends SentAnswer {
  readonly request: MaskedRequest;
  readonly isLogin: boolean;
}

export interface RecordedAnswers {
  readonly begin: BeginLine;
  readonly answers: readonly RecordedAnswer[];
}

/** Of the body as it was sent; a recording has it decoded. */
const ofTransfer = new Set(['content-encoding', 'content-length', 'transfer-encoding', 'connection', 'keep-alive']);

/** Reads all complete exchanges. Rejects with ERR_RECORDING. */
export async function readAnswers(path: string): Promise<RecordedAnswers> {
  const recording = await readRecording(path);
  try {
    const answers: RecordedAnswer[] = [];
    for (const { request, head, end, parts } of recording.exchanges) {
      if (head === undefined || end?.line !== 'end') continue;
      const chunks: Uint8Array[] = [];
      for await (const chunk of parts()) chunks.push(chunk);
      const headers = Object.fromEntries(Object.entries(head.headers).filter(([name]) => !ofTransfer.has(name)));
      const isLogin = request.login === true;
      answers.push({ request, isLogin, status: head.status, headers, body: Buffer.concat(chunks) });
    }
    if (answers.every(({ isLogin }) => isLogin)) throw recordingError(path, 'has no page that is complete');
    return { begin: recording.begin, answers };
  } finally {
    await recording.close();
  }
}

/** Finds the answers to requests: to equal ones in their order; the last one of them again and again. */
export function createAnswerPool(answers: readonly RecordedAnswer[]) {
  const sent = new Set<number>();
  const all = [...answers.entries()];
  return {
    /** The index of the answer; undefined: the request was not recorded. */
    find(asked: MaskedRequest): number | undefined {
      const same = all.filter(
        ([, { request }]) => isSameTarget(request, asked) && differences(request, asked).length === 0,
      );
      const next = same.find(([index]) => !sent.has(index)) ?? same.at(-1);
      return next?.[0];
    },
    /** The answer has arrived. */
    done: (index: number) => void sent.add(index),
  };
}
