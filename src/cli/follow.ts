/** The one subscription: from the first request to closed sinks, or to whichever signal comes first. */
import { ExtractError } from '../errors.js';
import type { Extraction } from '../extract.js';
import type { Notice, Notify, Receipt } from '../types.js';
import type { Ending } from './command.js';
import { exitCode } from './exit-code.js';
import type { Shell, Signal } from './shell.js';

export interface Following {
  page(receipt: Receipt): void;
  readonly notify: Notify;
}

type Outcome = Pick<Ending, 'failure' | 'signal'>;

/** Runs all jobs. Settles when the sinks have been closed or aborted; a second signal does not wait for that. */
export async function follow(
  { receipts, closed }: Pick<Extraction, 'receipts' | 'closed'>,
  { page, notify }: Following,
  shell: Pick<Shell, 'onSignal' | 'exit'>,
): Promise<Outcome> {
  let stopListening = () => {};
  try {
    const outcome = await new Promise<Outcome>((resolve) => {
      const subscription = receipts.subscribe({
        next: page,
        error: (failure: unknown) => resolve({ failure }),
        complete: () => resolve({}),
      });
      let isFirst = true;
      stopListening = shell.onSignal((signal) => {
        if (!isFirst) return shell.exit(exitCode({ signal }));
        isFirst = false;
        notify(ending(signal));
        subscription.unsubscribe();
        resolve({ signal, failure: new ExtractError('ERR_ABORTED', `interrupted by ${signal}`) });
      });
    });
    await closed;
    return outcome;
  } finally {
    stopListening();
  }
}

const ending = (signal: Signal): Notice => ({
  level: 'info',
  code: 'interrupted',
  message: `${signal}: ending the run in order; once more ends it at once`,
});
