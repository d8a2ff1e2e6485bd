/** The live display of a run: collects events and draws them ten times a second. */
import { asyncScheduler, timer } from 'rxjs';
import type { JobSummary } from '../../core/model/job-stats.js';
import type { Outlook } from '../../core/model/outlook.js';
import type { Receipt } from '../../core/model/page.js';
import type { Secrets } from '../../core/model/secrets.js';
import type { Activity } from '../../page/progress.js';
import { printable } from '../text/lines.js';
import { frame } from './frame.js';
import type { Paint } from './layout.js';
import { createModel, type DisplayModel } from './model.js';
import type { SharedProgress } from './shared-progress.js';
import { createTerminal, type Terminal, type Tty } from './terminal.js';

/** The parts of a summary that are shown. */
export type DisplayState = Pick<JobSummary, 'job' | 'parent' | 'stop'>;

export interface Display {
  /** Starts to draw, and reads the finished jobs each time. Earlier events are ignored. */
  show(jobs: () => readonly DisplayState[]): void;
  onActivity(activity: Activity): void;
  onOutlook(outlook: Outlook): void;
  onReceipt(receipt: Receipt): void;
  /** Of a run that many processes share, in place of all others. */
  onShared(progress: SharedProgress): void;
  /** Prints a permanent line above the display. */
  print(line: string): void;
  /** Removes the display; later lines are printed plainly. */
  end(): void;
}

/** Shorter runs show no display. */
const firstMs = 300;
const frameMs = 100;
const framesASample = 10;

const codes = { faint: 2, good: 32, attention: 33 } as const;
const paint: Paint = (text, tone) => (tone === 'plain' ? text : `\u001b[${codes[tone]}m${text}\u001b[0m`);

/** `clean` makes the name of a job printable: masked, without control characters. Time comes from `asyncScheduler`. */
export function createDisplay(terminal: Terminal, clean: (name: string) => string): Display {
  const now = () => asyncScheduler.now();
  let board: DisplayModel | undefined;
  let shared: SharedProgress | undefined;
  let stop = () => {};

  return {
    show(jobs) {
      const startedAt = now();
      const shownBoard = createModel(jobs());
      const names = new Map(jobs().map(({ job }) => [job, clean(job)]));
      board = shownBoard;
      const draw = (count: number) => {
        const at = now();
        shownBoard.settle(jobs(), at);
        if (count % framesASample === 0) shownBoard.sample(at);
        const rows = shownBoard.rows(at).map((row) => ({ ...row, name: names.get(row.name) ?? '' }));
        terminal.draw(frame(rows, terminal.size(), at - startedAt, paint, shared));
      };
      const drawing = timer(firstMs, frameMs).subscribe(draw);
      stop = () => drawing.unsubscribe();
    },
    onActivity: (activity) => board?.onActivity(activity, now()),
    onOutlook: (outlook) => board?.onOutlook(outlook, now()),
    onReceipt: (receipt) => board?.onReceipt(receipt, now()),
    onShared(progress) {
      const workers = progress.workers.map((worker) => ({ ...worker, name: clean(worker.name) }));
      shared = { ...progress, workers };
      for (const totals of progress.totals) board?.onTotals(totals, now());
    },
    print: terminal.print,
    end() {
      stop();
      terminal.end();
    },
  };
}

/** See `createDisplay`. Nothing is drawn before `show`. */
export const openDisplay = (stream: Tty, mask: Secrets['mask']): Display =>
  createDisplay(createTerminal(stream), (name) => printable(name, mask));
