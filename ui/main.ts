/** The page of `rxtract ui`: the configuration on one side, what can be done with it on the other. */
import { call, Fault, start } from './api.js';
import { createConfiguration } from './configuration.js';
import { element } from './dom.js';
import { createProblemsPanel } from './problems-panel.js';
import type { Schema } from './schema-walk.js';
import { createTabs } from './tabs.js';

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
    sayFault: (thrown: unknown) => say(thrown instanceof Fault ? thrown.message : String(thrown), 'bad'),
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
  const tabs = createTabs('Views', [
    { id: 'configuration', label: 'Configuration', content: editor.place },
    { id: 'problems', label: 'Check', content: problems.content },
  ]);
  const show: Parameters<typeof createConfiguration>[0]['onCheck'] = (result) => {
    problems.show(result);
    const count = (level: string) => result.findings.filter((each) => each.level === level).length;
    tabs.note('problems', String(count('error') || count('warning') || ''), count('error') > 0 ? 'bad' : '');
  };
  const place = () => tabs.setApart('configuration', wide.matches);
  wide.addEventListener('change', place);
  place();
  const brand = element('span', { className: 'brand', textContent: 'rxtract' });
  document.body.append(
    element('header', {}, brand, configuration.name, status.place, configuration.actions),
    element('main', {}, tabs.list, ...tabs.panels),
  );
  await Promise.all([call<Schema>('/api/schema').then(editor.useSchema).catch(status.sayFault), configuration.load()]);
}

void build();
