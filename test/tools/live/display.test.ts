import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createDisplay, type Display } from '../../../src/tools/live/display.js';
import type { Size } from '../../../src/tools/live/frame.js';
import { receiptOf } from '../../cli/receipts.js';
import { startClock, type VirtualClock } from '../../support/virtual-clock.js';
import { activityOf } from './activities.js';

interface Scene {
  readonly display: Display;
  readonly clock: VirtualClock;
  readonly size: { columns: number; rows: number };
  /** Frames and lines in the order they came. */
  readonly drawn: string[];
  frames(): number;
  /** The last frame without colours, a line each. */
  last(): readonly string[];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
const colours = /\u001b\[\d+m/g;

/** Runs a display in virtual time, over a terminal that remembers. */
function onClock(play: (scene: Scene) => void): () => void {
  return () => {
    const clock = startClock();
    const size: Size = { columns: 80, rows: 24 };
    const drawn: string[] = [];
    const frames: string[] = [];
    const display = createDisplay(
      {
        size: () => size,
        draw: (lines) => void frames.push(lines.join('\n')),
        print: (line) => void drawn.push(line),
        end: () => void drawn.push('(end)'),
      },
      (name) => name.replace('secret', '***'),
    );
    const last = () => (frames.at(-1) ?? '').replace(colours, '').split('\n');
    try {
      play({ display, clock, size, drawn, frames: () => frames.length, last });
    } finally {
      display.end();
      clock.stop();
    }
  };
}

const named = (...names: readonly string[]) => names.map((job) => ({ job, stop: 'running' }));
const jobs = () => named('users', 'orders');

test(
  'a run that is done at once shows none',
  onClock(({ display, clock, frames }) => {
    display.show(jobs);
    display.onActivity(activityOf('answer'));
    clock.pass(299);
    display.end();
    clock.pass(10_000);
    assert.is(frames(), 0);
  }),
);

test(
  'a frame is drawn ten times a second, with many events or none',
  onClock(({ display, clock, frames }) => {
    display.show(jobs);
    clock.pass(300);
    assert.is(frames(), 1);
    for (let ms = 0; ms < 1000; ms += 1) {
      display.onActivity(activityOf('page', { received: ms }));
      clock.pass(1);
    }
    assert.is(frames(), 11);
    clock.pass(1000);
    assert.is(frames(), 21);
  }),
);

test(
  'pages, waits, rates and time are updated',
  onClock(({ display, clock, last }) => {
    let stop = 'running';
    display.show(() => jobs().map((each) => (each.job === 'users' ? { ...each, stop } : each)));
    display.onActivity(activityOf('answer'));
    clock.pass(1000);
    display.onReceipt(receiptOf(0));
    display.onActivity(activityOf('sink', { page: 1, items: 500, bytes: 170_000 }));
    clock.pass(1000);
    assert.equal(last(), [
      'job     pages    items  items/s      size  retries   time  waits for',
      'users       1    1,500      750  510.0 kB        0   0:02  sink',
      'orders                                                     its turn',
      'total       1    1,500      750  510.0 kB        0   0:02  0 of 2 done',
    ]);
    display.onReceipt(receiptOf(1, { stop: 'an empty page' }));
    stop = 'an empty page';
    display.onActivity(activityOf('retry', { job: 'orders', ms: 4000 }));
    clock.pass(1500);
    assert.equal(last().slice(1), [
      'users       2    2,000    1,000  680.0 kB        0   0:02  done',
      'orders      0        0        0       0 B        1   0:01  retry in 3 s',
      'total       2    2,000        0  680.0 kB        1   0:03  1 of 2 done',
    ]);
  }),
);

test(
  'the next frame fits the terminal that was resized',
  onClock(({ display, clock, size, last }) => {
    display.show(jobs);
    clock.pass(1000);
    size.columns = 40;
    size.rows = 3;
    clock.pass(100);
    assert.equal(last(), ['2 more waiting, 0 done', 'total       0        0']);
  }),
);

test(
  'names are shown in printable form, and identified by their original form',
  onClock(({ display, clock, last }) => {
    display.show(() => named('secret'));
    display.onReceipt(receiptOf(0, { job: 'secret' }));
    clock.pass(1000);
    assert.match(last()[1] ?? '', /^\*\*\* +1 /);
  }),
);

test(
  'two jobs of one shown name stay two',
  onClock(({ display, clock, last }) => {
    display.show(() => named('secret', '***'));
    display.onReceipt(receiptOf(0, { job: '***' }));
    clock.pass(1000);
    assert.match(last()[1] ?? '', /its turn$/);
    assert.match(last()[2] ?? '', /^\*\*\* +1 /);
  }),
);

test(
  'lines are printed at once; after the end nothing is drawn',
  onClock(({ display, clock, drawn, frames }) => {
    display.show(jobs);
    clock.pass(300);
    display.print('warning: odd');
    display.end();
    clock.pass(10_000);
    display.print('last');
    assert.equal(drawn, ['warning: odd', '(end)', 'last']);
    assert.is(frames(), 1);
  }),
);

test(
  'events before a run is shown are ignored',
  onClock(({ display, clock, frames }) => {
    display.onActivity(activityOf('answer'));
    display.onReceipt(receiptOf(0));
    clock.pass(5000);
    assert.is(frames(), 0);
  }),
);

test(
  'of a shared run the counts come from elsewhere, and names of workers are made printable',
  onClock(({ display, clock, last }) => {
    const progress = {
      tasks: { ready: 0, leased: 1, done: 0, failed: 0 },
      workers: [{ name: 'secret-host', tasks: 1 }],
    };
    const totals = [{ job: 'users', pages: 7, items: 70, bytes: 700, retries: 0 }];
    display.onShared({ ...progress, totals });
    display.show(jobs);
    clock.pass(300);
    assert.match(last()[1] ?? '', /its turn$/);
    display.onShared({ ...progress, totals });
    clock.pass(1000);
    assert.match(last()[1] ?? '', /^users +7 +70 /);
    assert.match(last()[4] ?? '', /^tasks +0 of 1$/);
    assert.match(last()[5] ?? '', /^\*\*\*-host +1 task$/);
  }),
);

test.run();
