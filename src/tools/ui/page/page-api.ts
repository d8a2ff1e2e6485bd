/** Asks the server of the page. */
import type { PageFault, PageStart } from '../page-messages.js';

export const start: PageStart = JSON.parse(document.getElementById('start')?.textContent ?? '{}');

// The address worked once if the command opened the browser: a reload needs the one that lasts.
history.replaceState(null, '', `/?token=${start.token}`);

/** What the server has refused, or what has failed there. */
export class CallFault extends Error {
  readonly code: string;
  constructor({ code, message }: PageFault) {
    super(message);
    this.code = code;
  }
}

const unreachable = { code: 'ENDED', message: 'The command of this page has ended. Start it again in the terminal.' };

async function ask(path: string, input: object, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${start.token}` },
    body: JSON.stringify(input),
    ...(signal && { signal }),
  }).catch((thrown: unknown) => {
    throw signal?.aborted ? thrown : new CallFault(unreachable);
  });
  if (response.ok) return response;
  const text = await response.text();
  throw new CallFault(text.startsWith('{') ? JSON.parse(text) : { code: String(response.status), message: text });
}

/** Rejects with a CallFault. */
export async function call<T>(path: string, input: object = {}, signal?: AbortSignal): Promise<T> {
  return (await ask(path, input, signal)).json();
}

/** Takes each line of the answer. Resolves at its end; rejects with a CallFault. */
export async function stream<T>(
  path: string,
  input: object,
  take: (line: T) => void,
  signal?: AbortSignal,
): Promise<void> {
  const { body } = await ask(path, input, signal);
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value = '' } = await reader.read().catch((thrown: unknown) => {
      throw signal?.aborted ? thrown : new CallFault(unreachable);
    });
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const parsed = JSON.parse(line);
      if (parsed.fault !== undefined) throw new CallFault(parsed.fault);
      take(parsed);
    }
    if (done) return;
  }
}
