/** The page of `rxtract ui`: the configuration on one side, what can be done with it on the other. */

import { element } from './dom.js';
import { createFindPanel } from './find-panel.js';
import { CallFault, call, start } from './page-api.js';
import { createConfiguration } from './page-configuration.js';
import { createProblemsPanel } from './problems-panel.js';
import { createRunPanel } from './run-form.js';
import { createRunView, stopButton } from './run-panel.js';
import type { Schema } from './schema-walk.js';
import { createStatePanel } from './state-panel.js';
import { createTabs } from './tabs.js';
import { createTryPanel } from './try-panel.js';

/** The editor is beside the other panels. */
const wide = matchMedia('(min-width: 1000px)');

function createStatus() {
  const place = element('span', { className: 'status', attributes: { role: 'status' } });
  const say = (text: string, tone = '') => {
    place.textContent = text;
    place.className = `status ${tone}`;
  };
  return {
    place,
    say,
    sayFault: (thrown: unknown) => say(thrown instanceof CallFault ? thrown.message : String(thrown), 'bad'),
  };
}

async function build(): Promise<void> {
  const status = createStatus();
  const configuration = createConfiguration({ nonce: start.nonce ?? '', status, onCheck: (result) => show(result) });
  const { editor } = configuration;
  const problems = createProblemsPanel((finding) => {
    if (!wide.matches) tabs.show('configuration');
    editor.goTo(finding);
  });
  const find = createFindPanel({
    status,
    take(text) {
      editor.setText(text);
      tabs.show('try');
      status.say('The configuration is in the editor: try it, then save it.', 'good');
    },
  });
  const tryPanel = createTryPanel({ text: editor.text, status });
  const state = createStatePanel(status);
  const onRunning = (isRunning: boolean) => tabs.note('run', isRunning ? 'at work' : '');
  const run = createRunPanel({ configuration, status, onState: state.setPath, onRunning });
  const tabs = createTabs('Views', [
    { id: 'configuration', label: 'Configuration', content: editor.place },
    { id: 'find', label: 'Begin', content: find },
    { id: 'problems', label: 'Check', content: problems.content },
    { id: 'try', label: 'Try', content: tryPanel.content },
    { id: 'run', label: 'Run', content: run.content },
    { id: 'state', label: 'State', content: state.content },
  ]);
  const show: Parameters<typeof createConfiguration>[0]['onCheck'] = (result) => {
    problems.show(result);
    const count = (level: string) => result.findings.filter((each) => each.level === level).length;
    tabs.note('problems', String(count('error') || count('warning') || ''), count('error') > 0 ? 'bad' : '');
    if (!result.isValid) return;
    tryPanel.setJobs(result.jobs);
    run.setJobs(result.jobs);
  };
  const place = () => tabs.setApart('configuration', wide.matches);
  wide.addEventListener('change', place);
  place();
  layOut([configuration.name, status.place, configuration.actions], [tabs.list, ...tabs.panels]);
  const loaded = configuration.load().then(() => {
    if (!configuration.isEmpty()) tabs.show(wide.matches ? 'try' : 'configuration');
    else tabs.show('find');
  });
  const schema = call<Schema>('/api/schema').then(editor.useSchema).catch(status.sayFault);
  await Promise.all([schema, loaded, run.follow()]);
}

/** The page of `run --ui`: one run, which the command has started. */
async function watch(): Promise<void> {
  const status = createStatus();
  const stop = stopButton(status);
  const view = createRunView({
    status,
    onHead: ({ label, status: state }) => {
      name.textContent = label;
      stop.disabled = state !== 'running';
    },
  });
  const name = element('h1', { className: 'name' });
  const actions = element('span', { className: 'actions' }, stop);
  const place = element('div', { className: 'stack alone' }, view.place);
  layOut([name, status.place, actions], [place]);
  await view.follow();
}

function layOut(head: readonly HTMLElement[], parts: readonly HTMLElement[]): void {
  const brand = element('span', { className: 'brand', textContent: 'rxtract' });
  document.body.append(element('header', {}, brand, ...head), element('main', {}, ...parts));
}

void (start.mode === 'watch' ? watch() : build());
