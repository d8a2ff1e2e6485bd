/** The jobs of a run with their children, as a tree that the keyboard moves in. */
import type { PageRunRow } from '../page-messages.js';
import { element } from './dom.js';
import { grouped } from './page-figures.js';
import { createVirtualList } from './virtual-list.js';

export interface JobTree {
  readonly place: HTMLElement;
  clear(): void;
  take(rows: readonly PageRunRow[]): void;
}

interface Shown {
  readonly row: PageRunRow;
  readonly level: number;
  readonly hasChildren: boolean;
}

export function createJobTree(): JobTree {
  const rows = new Map<string, PageRunRow>();
  const closed = new Set<string>();
  let shown: readonly Shown[] = [];
  let active = 0;
  const list = createVirtualList({
    role: 'tree',
    label: 'Jobs',
    rowHeight: 30,
    row: (index) => rowView(shown[index], index),
  });
  const rowView = (each: Shown | undefined, index: number) => {
    const made = treeRow(each, index === active, closed);
    made.id = `job-${index}`;
    made.addEventListener('click', () => {
      active = index;
      if (each?.hasChildren) toggle(each.row.job);
      draw();
    });
    return made;
  };
  const toggle = (job: string, isClosed = !closed.has(job)) => {
    if (isClosed) closed.add(job);
    else closed.delete(job);
  };
  const draw = () => {
    shown = shownRows(rows.values(), closed);
    active = Math.min(active, Math.max(0, shown.length - 1));
    list.setCount(shown.length);
    list.place.setAttribute('aria-activedescendant', `job-${active}`);
  };
  list.place.addEventListener('keydown', (event) => {
    const move = moves[event.key];
    const at = shown[active];
    if (move !== undefined) active = Math.max(0, Math.min(shown.length - 1, active + move));
    else if (event.key === 'ArrowLeft' && at?.hasChildren) toggle(at.row.job, true);
    else if (event.key === 'ArrowRight' && at?.hasChildren) toggle(at.row.job, false);
    else return;
    event.preventDefault();
    draw();
    list.reveal(active);
  });
  return {
    place: element('div', { className: 'tree' }, treeHead(), list.place),
    clear() {
      rows.clear();
      closed.clear();
      active = 0;
      draw();
    },
    take(changed) {
      for (const row of changed) rows.set(`${row.parent ?? ''}\n${row.job}`, row);
      if (changed.length > 0) draw();
    },
  };
}

function treeHead(): HTMLElement {
  const names = ['job', 'items', 'pages', 'requests', 'retries', ''];
  const cells = names.map((text) => element('span', { textContent: text }));
  return element('div', { className: 'job head', attributes: { 'aria-hidden': 'true' } }, ...cells);
}

const moves: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** The rows below parents that are open, in order. */
function shownRows(rows: Iterable<PageRunRow>, closed: ReadonlySet<string>): readonly Shown[] {
  const children = new Map<string, PageRunRow[]>();
  for (const row of rows) {
    const beside = children.get(row.parent ?? '');
    if (beside === undefined) children.set(row.parent ?? '', [row]);
    else beside.push(row);
  }
  const below = (parent: string, level: number): readonly Shown[] =>
    (children.get(parent) ?? []).flatMap((row) => {
      const hasChildren = children.has(row.job) && row.job !== parent;
      return [{ row, level, hasChildren }, ...(hasChildren && !closed.has(row.job) ? below(row.job, level + 1) : [])];
    });
  return below('', 1);
}

function treeRow(each: Shown | undefined, isActive: boolean, closed: ReadonlySet<string>): HTMLElement {
  if (each === undefined) return element('div');
  const { row, level, hasChildren } = each;
  const { job, phase, state, items, pages, requests, retries } = row;
  const sign = hasChildren ? (closed.has(job) ? '▸ ' : '▾ ') : '';
  const made = element(
    'div',
    {
      className: `job ${phase}${isActive ? ' active' : ''}`,
      attributes: { role: 'treeitem', 'aria-level': String(level) },
    },
    element('span', { className: `job-name level-${Math.min(level, 6)}`, textContent: `${sign}${job}`, title: job }),
    countView(items, 'items'),
    countView(pages, 'pages'),
    countView(requests, 'requests'),
    countView(retries, 'retries', retries > 0 ? 'warn' : ''),
    element('span', { className: 'state', textContent: state, title: state }),
  );
  if (hasChildren) made.setAttribute('aria-expanded', String(!closed.has(job)));
  return made;
}

/** A number; what it counts is above the column, and read out here. */
const countView = (value: number, unit: string, className = ''): HTMLElement =>
  element('span', { className }, grouped(value), element('span', { className: 'unseen', textContent: ` ${unit},` }));
