/** The report of a run: one page that says what came, from where, how fast, what waited, and what was odd. */
import { writeFile } from 'node:fs/promises';
import { asExtractError, type ExtractError } from '../../core/errors/errors.js';
import type { Notice } from '../../core/model/notice.js';
import type { Receipt } from '../../core/model/page.js';
import type { Secrets } from '../../core/model/secrets.js';
import type { OnActivity } from '../../page/progress.js';
import type { Summary } from '../../run/job-stats.js';
import { machineFacts, nanoseconds } from '../bench/machine.js';
import { createMeter } from '../bench/meter.js';
import { type RunRecording, recordRun } from '../bench/record-run.js';
import { mustBeWritable, notWritten } from '../written-file.js';
import { type RunFacts, runPage } from './run-page.js';

export interface RunReport {
  /** An option of the run. */
  readonly onActivity: OnActivity;
  notice(notice: Notice): void;
  /** The run begins. Epoch ms. */
  begin(at: number): void;
  page(receipt: Receipt): void;
  /** Writes the page, also of a run that has failed. Rejects with ERR_USAGE if the file cannot be written. */
  write(ending: RunEnding): Promise<void>;
}

export interface RunEnding {
  readonly summary: Summary;
  readonly failure?: unknown;
  readonly signal?: string;
  readonly remedyOf: (error: ExtractError) => string;
  readonly mask: Secrets['mask'];
}

/** What the command knows before the run. */
export type KnownRun = Pick<RunFacts, 'label' | 'options'>;

/** The first warnings and other notices of a run, so that a long run needs no more memory. */
const mostNotices = 1000;

/** Makes the folder of the file. Rejects with ERR_USAGE if it cannot be written to. */
export async function openRunReport(path: string, known: KnownRun): Promise<RunReport> {
  await mustBeWritable('--report', path);
  const meter = createMeter(nanoseconds);
  const notices = { first: [] as Notice[], more: 0 };
  let begun: { readonly at: number; readonly recording: RunRecording } | undefined;
  return {
    onActivity: meter.onActivity,
    notice(notice) {
      if (notice.level === 'debug') return;
      if (notices.first.length < mostNotices) notices.first.push(notice);
      else notices.more += 1;
    },
    begin(at) {
      begun = { at, recording: recordRun(meter) };
    },
    page: (receipt) => begun?.recording.page(receipt),
    async write({ summary, failure, signal, remedyOf, mask }) {
      if (begun === undefined) return;
      const error = failure === undefined ? undefined : asExtractError(failure);
      const facts: RunFacts = {
        ...known,
        machine: machineFacts(),
        startedAt: new Date(begun.at).toISOString(),
        record: begun.recording.end(),
        notices: notices.first,
        moreNotices: notices.more,
        summary,
        error,
        remedy: error === undefined ? '' : remedyOf(error),
        signal,
      };
      await writeFile(path, await runPage(facts, mask)).catch((thrown: unknown) => {
        throw notWritten('--report', path, thrown);
      });
    },
  };
}
