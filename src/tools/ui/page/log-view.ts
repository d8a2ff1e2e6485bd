/** The log of a run, in words, of which a filter shows a part. */
import { element, field } from './dom.js';
import { bytes, grouped } from './page-figures.js';
import { createVirtualList } from './virtual-list.js';

export interface LogView {
  readonly place: HTMLElement;
  clear(): void;
  take(lines: readonly string[]): void;
}

interface Line {
  readonly event: string;
  readonly level: string;
  readonly code?: string;
  readonly message?: string;
  readonly job?: string;
  readonly page?: number;
  readonly items?: number;
  readonly bytes?: number;
  readonly itemsPerSecond?: number;
  readonly stop?: string;
  readonly remedy?: string;
  readonly exit?: number;
}

const filters: Readonly<Record<string, (line: string) => boolean>> = {
  'all lines': () => true,
  'warnings and errors': (line) => /"level":"(?:warning|error)"/.test(line),
  retries: (line) => /"code":"retry"|"retries":[1-9]/.test(line),
};

export function createLogView(): LogView {
  const all: string[] = [];
  let shown: string[] = all;
  const list = createVirtualList({
    role: 'list',
    label: 'Log',
    rowHeight: 24,
    row: (index) => lineView(shown[index] ?? '{}'),
  });
  const filter = element(
    'select',
    {},
    ...Object.keys(filters).map((name) => element('option', { value: name, textContent: name })),
  );
  const isWanted = () => filters[filter.value] ?? (() => true);
  filter.addEventListener('change', () => {
    shown = filter.selectedIndex === 0 ? all : all.filter(isWanted());
    list.setCount(shown.length);
    list.refresh();
  });
  return {
    place: element('div', { className: 'log' }, field('Lines', filter), list.place),
    clear() {
      all.length = 0;
      shown = filter.selectedIndex === 0 ? all : [];
      list.setCount(0);
    },
    take(lines) {
      if (lines.length === 0) return;
      const isFollowed = list.isAtEnd();
      for (const line of lines) all.push(line);
      if (shown !== all) for (const line of lines.filter(isWanted())) shown.push(line);
      list.setCount(shown.length);
      if (isFollowed) list.toEnd();
    },
  };
}

function lineView(text: string): HTMLElement {
  const line: Line = JSON.parse(text);
  const words = wordsOf(line);
  const tone = line.level === 'error' ? 'bad' : line.level === 'warning' || line.code === 'retry' ? 'warn' : '';
  const word = line.event === 'notice' ? (line.code ?? '') : line.event;
  return element(
    'div',
    { className: `line ${tone}`, title: words, attributes: { role: 'listitem' } },
    element('span', { className: 'soft', textContent: word }),
    element('span', { textContent: words }),
  );
}

function wordsOf(line: Line): string {
  const { event, message = '', job, page, items = 0, remedy, exit } = line;
  const place = [job, page === undefined ? undefined : `page ${page}`].filter((each) => each !== undefined).join(', ');
  if (event === 'page') {
    const end = line.stop === undefined ? '' : `; end: ${line.stop}`;
    return `${place}: ${grouped(items)} items, ${bytes(line.bytes ?? 0)}${end}`;
  }
  if (event === 'progress') {
    const rate = line.itemsPerSecond === undefined ? '' : `, ${grouped(line.itemsPerSecond)} a second`;
    return `${job}: ${grouped(items)} items${rate}`;
  }
  if (event === 'summary') return `exit code ${exit}`;
  const words = place === '' || message.startsWith(`${job}`) ? message : `${place}: ${message}`;
  return (remedy === undefined ? words : `${words} ${remedy}`).replaceAll('\n', ' ');
}
