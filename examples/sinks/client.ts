/** Calls the service of this folder over HTTP: what the four sinks beside it share. */

export interface Client {
  /** Resolves to the reply as JSON. Rejects for a status that is not 200, and after `end`. */
  call(name: string, body: object, signal?: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Throws after `end`, and once the signal has aborted. */
  mustBeOpen(signal?: AbortSignal): void;
  /** From now on every call is refused. */
  end(): void;
}

/** A service that refuses a call, with its reason. */
export class Refused extends Error {}

export function createClient(url: string): Client {
  let hasEnded = false;
  const mustBeOpen = (signal?: AbortSignal) => {
    if (hasEnded) throw new Error('the sink is closed');
    signal?.throwIfAborted();
  };
  return {
    mustBeOpen,
    async call(name, body, signal) {
      mustBeOpen(signal);
      const response = await fetch(`${url}/${name}`, {
        method: 'POST',
        body: JSON.stringify(body),
        signal: signal ?? null,
      });
      const text = await response.text();
      if (response.status === 409) throw new Refused(text);
      if (response.status !== 200) throw new Error(`${name}: status ${response.status}`);
      return JSON.parse(text);
    },
    end() {
      hasEnded = true;
    },
  };
}

/** The items of a batch, one JSON text each: parsing them would lose digits. */
export const textsOf = ({ bytes }: { readonly bytes: Uint8Array }): readonly string[] =>
  Buffer.from(bytes).toString().split('\n').slice(0, -1);
