/** Test reads: the first pages with request, response, items and what would follow, and the plan without a request. */
import type { Plan } from '../../../run/plan/make-plan.js';
import type { PreviewData } from '../../preview/preview-data.js';
import type { CheckResult, TriedLine } from '../page-messages.js';
import { button, element, field, fill } from './dom.js';
import { call, stream } from './page-api.js';
import type { Status } from './page-configuration.js';
import { requestView, table } from './request-view.js';

export interface TryPanel {
  readonly content: HTMLElement;
  setJobs(jobs: readonly string[]): void;
}

interface TryContext {
  text(): string;
  readonly status: Status;
}

export function createTryPanel({ text, status }: TryContext): TryPanel {
  const job = element('select');
  const pages = element('input', { type: 'number', min: '1', max: '1000', value: '2' });
  const results = element('div', { className: 'results', attributes: { 'aria-live': 'polite' } });
  let reading: AbortController | undefined;
  const read = async () => {
    const own = new AbortController();
    reading?.abort();
    reading = own;
    fill(results);
    draw();
    try {
      const input = { text: text(), job: job.value, pages: Math.max(1, Math.round(Number(pages.value)) || 1) };
      await stream<TriedLine>('/api/try', input, (line) => results.append(...lineView(line)), own.signal);
    } catch (thrown) {
      if (!own.signal.aborted) status.sayFault(thrown);
    }
    if (reading === own) reading = undefined;
    draw();
  };
  const plan = async () => {
    try {
      const answer = await call<{ plan: Plan | null } & CheckResult>('/api/plan', { text: text(), job: job.value });
      fill(results, ...(answer.plan === null ? faults(answer) : planView(answer.plan)));
    } catch (thrown) {
      status.sayFault(thrown);
    }
  };
  const readButton = button('Read pages', () => void read(), 'primary');
  const stopButton = button('Stop', () => reading?.abort());
  const planButton = button('Show the plan', () => void plan());
  const draw = () => {
    readButton.disabled = reading !== undefined;
    stopButton.hidden = reading === undefined;
  };
  draw();
  const content = element(
    'div',
    { className: 'stack' },
    element('h2', { textContent: 'Try' }),
    element('p', {
      className: 'soft',
      textContent: 'Reads the first pages with the text of the editor, and stores nothing. The plan sends no request.',
    }),
    element('div', { className: 'fields' }, field('Job', job), field('Pages of each job', pages)),
    element('div', { className: 'actions' }, readButton, stopButton, planButton),
    results,
  );
  return { content, setJobs: (jobs) => setOptions(job, jobs) };
}

/** The jobs of the configuration, after one for all of them. What is chosen stays. */
export function setOptions(select: HTMLSelectElement, jobs: readonly string[]): void {
  const { value } = select;
  fill(
    select,
    element('option', { value: '', textContent: 'all' }),
    ...jobs.map((name) => element('option', { value: name, textContent: name })),
  );
  select.value = jobs.includes(value) ? value : '';
}

const lineView = ({ page, result }: TriedLine): readonly HTMLElement[] => [
  ...(page === undefined ? [] : [pageView(page)]),
  ...(result === undefined ? [] : faults(result)),
];

const faults = ({ findings }: CheckResult): readonly HTMLElement[] =>
  findings.map(({ level, path, message }) =>
    element(
      'p',
      { className: `finding ${level}` },
      element('span', { className: 'word', textContent: level === 'error' ? 'problem' : level }),
      path === undefined ? undefined : element('code', { textContent: path }),
      element('span', { textContent: message }),
    ),
  );

function pageView(page: PreviewData): HTMLElement {
  const { job, page: number, status, items, requests, retries, request, next } = page;
  const again = retries === 0 ? '' : `, ${retries} of them again`;
  const cost = `${items} items, ${requests === 1 ? '1 request' : `${requests} requests`}${again}`;
  const end =
    'stop' in next
      ? element('p', {}, element('b', { textContent: 'Next ' }), `none: ${next.stop}`)
      : requestView('Next', next);
  return element(
    'article',
    { className: 'card' },
    element('h3', { textContent: `${job}, page ${number}` }),
    element('p', { className: 'soft', textContent: cost }),
    requestView('Request', request),
    element('p', {}, element('b', { textContent: 'Response ' }), `status ${status}`),
    responseView(page),
    items === 0 ? element('p', { textContent: 'No items.' }) : itemTable(page),
    end,
  );
}

function responseView({ headers, body, job, page }: PreviewData): HTMLElement {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = body === undefined ? lines : [...lines, '', body];
  const label = `Response of ${job}, page ${page}`;
  return element(
    'details',
    {},
    element('summary', { textContent: 'Headers and body' }),
    element('pre', { textContent: text.join('\n'), tabIndex: 0, attributes: { role: 'region', 'aria-label': label } }),
  );
}

function itemTable({ fields, rows, items, job, page }: PreviewData): HTMLElement {
  const heads = fields.map(
    ({ name, types, count }) => `${name}\n${types.join(', ')}${count < rows.length ? ', not in all' : ''}`,
  );
  const lines = rows.map((row) => element('tr', {}, ...row.map((text) => element('td', { textContent: text ?? '' }))));
  const more =
    items > rows.length
      ? [element('p', { className: 'soft', textContent: `The first ${rows.length} of ${items}.` })]
      : [];
  return element('div', { className: 'items' }, table(heads, lines, `Items of ${job}, page ${page}`), ...more);
}

const planView = ({ iterations }: Plan): readonly HTMLElement[] =>
  iterations.flatMap(({ baseUrl, login, rules, jobs }, index) => [
    element(
      'article',
      { className: 'card' },
      element('h3', { textContent: iterations.length < 2 ? 'API' : `API of iteration ${index + 1}` }),
      element('p', {}, element('code', { textContent: baseUrl })),
      ...Object.entries(rules).map(([name, text]) => element('p', {}, element('b', { textContent: `${name} ` }), text)),
      ...(login === undefined ? [] : [requestView(`Login, sent ${login.renewal}:`, login.request)]),
    ),
    ...jobs.map(({ job, parent, items, dataType, first, second, ends, link }) =>
      element(
        'article',
        { className: 'card' },
        element('h3', { textContent: parent === undefined ? job : `${job}, for each item of ${parent}` }),
        element('p', { className: 'soft', textContent: `Items: ${items}, to ${dataType}` }),
        first === undefined ? element('p', { textContent: `Page 1: GET ${link ?? ''}` }) : requestView('Page 1', first),
        second === undefined ? undefined : requestView('Page 2', second),
        ...ends.map((end) => element('p', {}, element('b', { textContent: 'Ends ' }), end)),
      ),
    ),
  ]);
