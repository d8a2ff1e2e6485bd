/** What a run of the page is given: where its items go, which jobs, and where its state is kept. */

import { button, element, field, textField } from './dom.js';
import { call } from './page-api.js';
import type { Configuration, Status } from './page-configuration.js';
import { createRunView, stopButton } from './run-panel.js';
import { setOptions } from './try-panel.js';

export interface RunPanel {
  readonly content: HTMLElement;
  setJobs(jobs: readonly string[]): void;
  follow(): Promise<void>;
}

interface RunPanelContext {
  readonly configuration: Configuration;
  readonly status: Status;
  /** A run with a state begins. */
  onState(path: string): void;
  onRunning(isRunning: boolean): void;
}

export function createRunPanel({ configuration, status, onState, onRunning }: RunPanelContext): RunPanel {
  const [to, state] = [textField('ndjson:out'), textField('', 'st')];
  const job = element('select');
  const [maxPages, concurrency] = [numberField(), numberField()];
  const begin = async (resume: boolean) => {
    if (configuration.isChanged() && !(await configuration.save())) return;
    const jobs = job.value === '' ? [] : [job.value];
    const counts = { ...numberOf('maxPages', maxPages), ...numberOf('concurrency', concurrency) };
    try {
      await call('/api/run/start', { to: to.value, state: state.value, resume, jobs, ...counts });
      onState(state.value);
    } catch (thrown) {
      status.sayFault(thrown);
    }
  };
  const start = button('Start', () => void begin(false), 'primary');
  const resume = button('Resume', () => void begin(true));
  const stop = stopButton(status);
  const view = createRunView({
    status,
    onHead: (head) => {
      const isRunning = head.status === 'running' || head.status === 'stopping';
      start.disabled = isRunning;
      resume.disabled = isRunning || state.value === '';
      stop.disabled = head.status !== 'running';
      onRunning(isRunning);
    },
  });
  state.addEventListener('input', () => {
    resume.disabled = start.disabled || state.value === '';
  });
  const fields = element(
    'div',
    { className: 'fields' },
    field('To', to, 'such as ndjson:out, csv:out, duckdb:out.db'),
    field('State', state, 'A folder: an interrupted run is resumed, the next one asks for what is new. Empty: none'),
    field('Job', job),
    field('Most pages of each job', maxPages, 'Empty: all'),
    field('Requests at once', concurrency, 'Empty: one'),
  );
  const content = element(
    'div',
    { className: 'stack' },
    element('h2', { textContent: 'Run' }),
    element('p', {
      className: 'soft',
      textContent: 'Runs the saved configuration, in this process. Changes are saved first.',
    }),
    fields,
    element('div', { className: 'actions' }, start, resume, stop),
    view.place,
  );
  return { content, setJobs: (jobs) => setOptions(job, jobs), follow: view.follow };
}

const numberField = (): HTMLInputElement => element('input', { type: 'number', min: '1', step: '1' });

/** Absent if the field is empty. */
const numberOf = (name: string, { value }: HTMLInputElement) => (value === '' ? {} : { [name]: Number(value) });
