/** A body as an iterable, for tests that read it piece by piece. */
import type { HttpBody } from '../../src/http/types.js';

/** Yields the chunks of a body as the caller pulls them. Leaving the loop early closes the connection. */
export async function* chunksOf(body: HttpBody): AsyncGenerator<Uint8Array> {
  let given: Uint8Array | undefined;
  let isOver = false;
  let wake = () => {};
  let accept = () => {};
  const reading = body
    .read((chunk) => {
      given = chunk;
      wake();
      return new Promise<void>((resolve) => {
        accept = resolve;
      });
    })
    .finally(() => {
      isOver = true;
      wake();
    });
  reading.catch(() => undefined); // The end of this function awaits it.
  let isRead = false;
  try {
    for (;;) {
      if (given === undefined && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (given === undefined) break;
      const chunk = given;
      given = undefined;
      yield chunk;
      accept();
    }
    isRead = true;
    await reading;
  } finally {
    if (!isRead) body.cancel();
    accept();
  }
}
