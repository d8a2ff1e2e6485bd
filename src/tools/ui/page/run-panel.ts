/** A run: start, stop and resume, its figures, plots, jobs and log, and what it has written. */
import type { PageRunHead, PageRunLine, PageRunTick } from '../page-messages.js';
import { button, element, fill } from './dom.js';
import { createJobTree } from './job-tree.js';
import { createLogView } from './log-view.js';
import { call, stream } from './page-api.js';
import type { Status } from './page-configuration.js';
import { bytes, clock, grouped } from './page-figures.js';
import { createRunPlots, rateNow } from './plots.js';
import { table } from './request-view.js';

export interface RunView {
  readonly place: HTMLElement;
  /** Follows runs until the command ends. */
  follow(): Promise<void>;
}

interface RunViewOptions {
  readonly status: Status;
  readonly onHead: (head: PageRunHead) => void;
}

const mostTicks = 4000;

/** All of a run but its buttons. */
export function createRunView({ status, onHead }: RunViewOptions): RunView {
  const verdict = element('p', { className: 'verdict', attributes: { role: 'status' } });
  const cards = element('div', { className: 'cards' });
  const outputs = element('div', {});
  const [plots, tree, log] = [createRunPlots(), createJobTree(), createLogView()];
  const place = element(
    'div',
    { className: 'run', hidden: true },
    verdict,
    cards,
    outputs,
    plots.place,
    element('h3', { textContent: 'Jobs' }),
    tree.place,
    element('h3', { textContent: 'Log' }),
    log.place,
  );
  let ticks: PageRunTick[] = [];
  const counts = new Map<string, number>();
  const take = ({ isNew, head, ticks: more, jobs, log: lines }: PageRunLine) => {
    if (isNew) {
      ticks = [];
      counts.clear();
      tree.clear();
      log.clear();
      fill(outputs);
    }
    onHead(head);
    place.hidden = head.id === 0;
    ticks.push(...more);
    if (ticks.length > mostTicks) ticks = ticks.filter((_, index) => index % 2 === 0);
    for (const { job, retries } of jobs) counts.set(job, retries);
    tree.take(jobs);
    log.take(lines);
    plots.show(ticks);
    const retries = [...counts.values()].reduce((sum, each) => sum + each, 0);
    fill(cards, ...figureCards(head, ticks, retries));
    const found = lines.findLast((line) => line.startsWith('{"event":"summary"'));
    if (found !== undefined) fill(outputs, ...outputView(JSON.parse(found)));
    const failure = lines.findLast((line) => line.startsWith('{"event":"error"'));
    showVerdict(verdict, head, failure);
  };
  const follow = async () => {
    try {
      await stream('/api/run/watch', {}, take);
      status.say('the command has ended');
    } catch (thrown) {
      status.sayFault(thrown);
    }
  };
  return { place, follow };
}

function figureCards({ endedAt, startedAt }: PageRunHead, ticks: readonly PageRunTick[], retries: number) {
  const last = ticks.at(-1);
  const ms = endedAt === undefined ? (last?.at ?? 0) : endedAt - startedAt;
  const items = last?.items ?? 0;
  const rate = endedAt === undefined ? rateNow(ticks) : (items * 1000) / Math.max(1, ms);
  const all: readonly (readonly [label: string, value: string, tone?: string])[] = [
    ['items', grouped(items)],
    [endedAt === undefined ? 'items/s now' : 'items/s', grouped(rate)],
    ['requests', grouped(last?.requests ?? 0)],
    ['retries', grouped(retries), retries > 0 ? 'warn' : ''],
    ['received', bytes(last?.received ?? 0)],
    ['time', clock(ms)],
  ];
  return all.map(([label, value, tone = '']) =>
    element(
      'div',
      { className: 'figure' },
      element('span', { className: 'soft', textContent: label }),
      element('b', { className: tone, textContent: value }),
    ),
  );
}

function showVerdict(place: HTMLElement, { status, exit }: PageRunHead, failure: string | undefined): void {
  const words = {
    idle: '',
    running: 'at work',
    stopping: 'stopping',
    ended: exit === 0 ? 'complete' : exit === 130 ? 'interrupted' : 'failed',
  };
  const tone = status !== 'ended' ? '' : exit === 0 ? 'good' : 'bad';
  const word = words[status];
  if (failure === undefined) {
    if (place.dataset.word === word) return;
    place.dataset.word = word;
    fill(place, element('b', { className: tone, textContent: word }));
    return;
  }
  place.dataset.word = word;
  const { message, remedy } = JSON.parse(failure);
  fill(place, element('b', { className: 'bad', textContent: word }), ` ${message} ${remedy ?? ''}`);
}

interface Summary {
  readonly outputs?: readonly {
    readonly name: string;
    readonly items: number;
    readonly bytes: number;
    readonly size?: number;
    readonly unfinished?: true;
  }[];
}

function outputView({ outputs = [] }: Summary): readonly HTMLElement[] {
  if (outputs.length === 0) return [];
  const rows = outputs.map(({ name, items, bytes: own, size = own, unfinished }) => {
    const cells = [grouped(items), bytes(size), unfinished === true ? 'not published' : 'published'];
    return element(
      'tr',
      {},
      element('th', { scope: 'row', textContent: name }),
      ...cells.map((text) => element('td', { textContent: text })),
    );
  });
  return [element('h3', { textContent: 'Written' }), table(['output', 'items', 'size', ''], rows, 'What was written')];
}

/** A button that stops the run. */
export const stopButton = (status: Status): HTMLButtonElement =>
  button('Stop', () => void call('/api/run/stop').catch(status.sayFault));
