/** What jobs remember from run to run. */
import type { CheckResult, ShownMemory } from '../page-messages.js';
import { button, element, field, fill, textField } from './dom.js';
import { call } from './page-api.js';
import type { Status } from './page-configuration.js';
import { table } from './request-view.js';

export interface StatePanel {
  readonly content: HTMLElement;
  /** The state of the last run. */
  setPath(path: string): void;
}

export function createStatePanel(status: Status): StatePanel {
  const path = textField('', 'st');
  const results = element('div', { className: 'results', attributes: { 'aria-live': 'polite' } });
  const show = async () => {
    try {
      const answer = await call<{ memory: readonly ShownMemory[] | null } & CheckResult>('/api/state', {
        path: path.value,
      });
      const { memory, findings } = answer;
      if (memory === null)
        fill(
          results,
          ...findings.map(({ message }) => element('p', { className: 'finding error', textContent: message })),
        );
      else
        fill(
          results,
          memory.length === 0 ? element('p', { textContent: 'Nothing is remembered.' }) : memoryTable(memory),
        );
    } catch (thrown) {
      status.sayFault(thrown);
    }
  };
  path.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') void show();
  });
  const content = element(
    'div',
    { className: 'stack' },
    element('h2', { textContent: 'State' }),
    element('p', {
      className: 'soft',
      textContent: 'What each job remembers, so that the next run asks only for what is new.',
    }),
    element(
      'div',
      { className: 'fields' },
      field('State', path, 'The folder of a run with a state, or an address such as postgres://...?state=NAME'),
    ),
    element(
      'div',
      { className: 'actions' },
      button('Show', () => void show(), 'primary'),
    ),
    results,
  );
  return {
    content,
    setPath(given) {
      if (given !== '') path.value = given;
    },
  };
}

function memoryTable(memory: readonly ShownMemory[]): HTMLElement {
  const rows = memory.map(({ job, parent, value, recent, at, pages }) => {
    const cells = [parent?.join(', ') ?? '', value ?? '', recent ?? '', at ?? '', pages ?? ''];
    return element(
      'tr',
      {},
      element('th', { scope: 'row', textContent: job }),
      ...cells.map((text) => element('td', { textContent: String(text) })),
    );
  });
  const heads = ['job', 'parent', 'value', 'items that it knows', 'asked at', 'pages that may be unchanged'];
  return table(heads, rows, 'What is remembered');
}
