/** The configuration of the page: its text in the editor, its file, and what is wrong with it. */
import type { CheckResult, ConfigView } from '../page-messages.js';
import { button, debounced, element } from './dom.js';
import { createEditor, type Editor } from './editor.js';
import { call } from './page-api.js';

export interface Status {
  say(text: string, tone?: string): void;
  sayFault(thrown: unknown): void;
}

export interface Configuration {
  readonly editor: Editor;
  readonly name: HTMLElement;
  readonly actions: HTMLElement;
  isChanged(): boolean;
  /** Is there a text yet? */
  isEmpty(): boolean;
  load(): Promise<void>;
  /** Resolves to false if it was not saved: the status says why. */
  save(): Promise<boolean>;
}

export interface ConfigurationOptions {
  readonly nonce: string;
  readonly status: Status;
  readonly onCheck: (result: CheckResult) => void;
}

export function createConfiguration({ nonce, status, onCheck }: ConfigurationOptions): Configuration {
  let file: ConfigView = { path: '', text: '', version: '' };
  const check = createCheck(() => editor.text(), status);
  const onChange = () => {
    draw();
    check.soon();
  };
  const editor = createEditor({ label: 'Configuration', nonce, onChange, onSave: () => void save() });
  check.listen((result) => {
    editor.showFindings(result.findings);
    onCheck(result);
  });
  const isChanged = () => editor.text() !== file.text;
  const name = element('h1', { className: 'name' });
  const saveButton = button('Save', () => void save(), 'primary');
  const draw = () => {
    name.textContent = `${file.path}${isChanged() ? ' *' : ''}`;
    name.title = isChanged() ? 'with changes that are not saved' : '';
    saveButton.disabled = !isChanged();
  };
  const take = (view: ConfigView, isNew: boolean) => {
    file = view;
    if (isNew || isChanged()) editor.setText(view.text, isNew);
    draw();
  };
  const load = () =>
    call<ConfigView>('/api/file').then((view) => {
      take(view, true);
      return view.text === '' ? status.say('a new file') : check.now();
    }, status.sayFault);
  const save = async () => {
    try {
      take(await call<ConfigView>('/api/save', { text: editor.text(), version: file.version }), false);
      status.say(`saved ${file.path}`, 'good');
      return true;
    } catch (thrown) {
      status.sayFault(thrown);
      return false;
    }
  };
  addEventListener('beforeunload', (event) => {
    if (isChanged()) event.preventDefault();
  });
  const actions = element(
    'span',
    { className: 'actions' },
    button('Load again', () => void load()),
    saveButton,
  );
  const isEmpty = () => editor.text().trim() === '';
  return { editor, name, actions, isChanged, isEmpty, load, save };
}

/** Has the server check the text, and says what it has found. The latest check counts. */
function createCheck(text: () => string, status: Status) {
  let checking = new AbortController();
  let show: (result: CheckResult) => void = () => {};
  const now = async () => {
    checking.abort();
    checking = new AbortController();
    const { signal } = checking;
    try {
      const result = await call<CheckResult>('/api/check', { text: text() }, signal);
      if (signal.aborted) return;
      show(result);
      const { words, tone } = verdict(result);
      status.say(words, tone);
    } catch (thrown) {
      if (!signal.aborted) status.sayFault(thrown);
    }
  };
  return {
    now,
    soon: debounced(300, () => void now()),
    listen(listener: (result: CheckResult) => void) {
      show = listener;
    },
  };
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

function verdict({ findings, jobs }: CheckResult): { readonly words: string; readonly tone: string } {
  const count = (level: string) => findings.filter((each) => each.level === level).length;
  if (count('error') > 0) return { words: counted(count('error'), 'problem'), tone: 'bad' };
  const also = count('warning') === 0 ? '' : `, ${counted(count('warning'), 'warning')}`;
  return { words: `valid: ${counted(jobs.length, 'job')}${also}`, tone: 'good' };
}
