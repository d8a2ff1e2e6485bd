/** Events of OpenLineage about runs: which datasets they take and write. docs/20-watching.md#lineage. */
import { randomUUID } from 'node:crypto';
import { asyncScheduler } from 'rxjs';
import { asExtractError } from '../../core/errors/errors.js';
import { type Observe, type RunDescription, type RunObserver, silentJob, silentLogin } from '../../http/observer.js';
import { endOf, type LineageRun, type RunEvent, startOf } from './lineage-events.js';
import { openTarget } from './send-events.js';

export interface LineageOptions {
  /** The name of the job, which is that of its earlier runs. */
  readonly job: string;
  /** The namespace of the job. Default: `rxtract`. */
  readonly namespace?: string;
  /** A bearer token for the server. */
  readonly apiKey?: string;
}

export interface Lineage extends Observe {
  /** Settles when all events so far were sent. Rejects with ERR_TRANSPORT if some were not, since the last call. */
  sent(): Promise<void>;
}

/**
 * Sends events to a server, such as `http://localhost:5000`, or adds them to a file, such as `file:lineage.ndjson`.
 * Throws ERR_USAGE for another address.
 */
export function createLineage(address: string, { job, namespace = 'rxtract', apiKey }: LineageOptions): Lineage {
  const send = openTarget(address, apiKey);
  let sending: Promise<void> = Promise.resolve();
  let failure: unknown;
  const emit = (event: RunEvent) => {
    sending = sending
      .then(() => send(event))
      .catch((thrown: unknown) => {
        failure = asExtractError(thrown);
      });
  };
  return {
    observer: (mask) => followRun((description) => ({ runId: randomUUID(), namespace, job, description, mask }), emit),
    async sent() {
      await sending;
      const last = failure;
      failure = undefined;
      if (last !== undefined) throw last;
    },
  };
}

/** Runs of one extraction that overlap are one run. */
function followRun(begin: (description: RunDescription) => LineageRun, emit: (event: RunEvent) => void): RunObserver {
  let run: LineageRun | undefined;
  let running = 0;
  return {
    samplesItems: true,
    opens(description) {
      running += 1;
      if (run !== undefined) return;
      run = begin(description);
      emit(startOf(run, asyncScheduler.now()));
    },
    begin() {},
    end(failure) {
      running -= 1;
      if (run === undefined || running > 0) return;
      emit(endOf(run, asyncScheduler.now(), failure));
      run = undefined;
    },
    job: () => silentJob,
    login: () => silentLogin,
    remembers() {},
  };
}
