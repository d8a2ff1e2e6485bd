/** From the address of an API to a configuration: what `rxtract init` finds, and its questions as buttons. */
import type { FoundLine, PageQuestion } from '../page-messages.js';
import { button, element, field, fill, textField } from './dom.js';
import { call, stream } from './page-api.js';
import type { Status } from './page-configuration.js';

interface FindContext {
  readonly status: Status;
  /** Takes the configuration. */
  take(text: string): void;
}

export function createFindPanel({ status, take }: FindContext): HTMLElement {
  const fields = findFields();
  const results = element('div', { className: 'results', attributes: { 'aria-live': 'polite' } });
  let searching: AbortController | undefined;
  const search = async () => {
    const own = new AbortController();
    searching = own;
    const notes = element('ol', { className: 'notes' });
    fill(results, notes);
    draw();
    const show = ({ note, level, question, found, failed }: FoundLine) => {
      if (note !== undefined)
        notes.append(element('li', { className: level === 'warning' ? 'warn' : '', textContent: note }));
      if (question !== undefined) results.append(questionView(question, status));
      if (found !== undefined) results.append(foundView(found, take));
      if (found !== undefined) fields.hide(found.variables);
      if (failed !== undefined)
        results.append(element('p', { className: 'finding error', textContent: failed.message }));
    };
    try {
      await stream('/api/find', fields.input(), show, own.signal);
    } catch (thrown) {
      if (!own.signal.aborted) status.sayFault(thrown);
    }
    searching = undefined;
    draw();
  };
  const findButton = button('Find the configuration', () => void search(), 'primary');
  const stopButton = button('Stop', () => searching?.abort());
  const draw = () => {
    findButton.disabled = searching !== undefined;
    stopButton.hidden = searching === undefined;
  };
  draw();
  const about = 'A few requests find the list, its key and the pagination, and prove each by a second page.';
  return element(
    'div',
    { className: 'stack' },
    element('h2', { textContent: 'Begin with an API' }),
    element('p', { className: 'soft', textContent: about }),
    fields.place,
    element('div', { className: 'actions' }, findButton, stopButton),
    results,
  );
}

function findFields() {
  const source = element('textarea', { rows: 2, spellcheck: false, placeholder: 'https://api.example.com/v1/users' });
  const header = textField('', `Authorization: Bearer ${'$'}{API_TOKEN}`);
  const mayPost = element('input', { type: 'checkbox' });
  const aboutSource = 'A curl command is what "Copy as cURL" in the network tab of a browser gives.';
  const aboutHeader = `${'$'}{NAME} is a variable of the environment. A secret that you write out gets one; it is not saved.`;
  const place = element(
    'div',
    { className: 'fields one' },
    field('Address of a list, or a curl command', source, aboutSource),
    field('Header', header, aboutHeader),
    element('label', { className: 'check' }, mayPost, ' The request may be a POST, if it only reads data'),
  );
  return {
    place,
    input: () => ({
      source: source.value,
      headers: header.value.trim() === '' ? [] : [header.value.trim()],
      allowPost: mayPost.checked,
    }),
    /** A secret that was written out is a variable by now. */
    hide(variables: readonly string[]) {
      const [name] = variables;
      if (name !== undefined && !header.value.includes('$')) header.value = header.value.replace(/\S+$/, `\${${name}}`);
    },
  };
}

/** Buttons for what can be chosen; they go when one was taken. */
function questionView({ id, kind, text, choices }: PageQuestion, status: Status): HTMLElement {
  const answer = (value: unknown, shown: string) => {
    call('/api/answer', { id, value }).catch(status.sayFault);
    fill(place, element('p', { textContent: `${text} ${shown}` }));
  };
  const input = element('input', { type: kind === 'secret' ? 'password' : 'text', autocomplete: 'off' });
  const own = kind === 'choose' || kind === 'confirm' ? undefined : field(text, input);
  const yesNo = [
    { value: true, label: 'Yes' },
    { value: false, label: 'No' },
  ];
  const buttons =
    own === undefined
      ? (kind === 'confirm' ? yesNo : choices).map(({ value, label }) => button(label, () => answer(value, label)))
      : [button('Take this', () => answer(input.value, kind === 'secret' ? '***' : input.value), 'primary')];
  const place: HTMLElement = element(
    'div',
    { className: 'card question', attributes: { role: 'group', 'aria-label': text } },
    own ?? element('p', {}, element('b', { textContent: text })),
    element('div', { className: 'actions' }, ...buttons),
  );
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') buttons[0]?.click();
  });
  return place;
}

function foundView(
  { text, variables, sent }: NonNullable<FoundLine['found']>,
  take: (text: string) => void,
): HTMLElement {
  const names = variables.join(', ');
  const label = 'The configuration that was found';
  return element(
    'article',
    { className: 'card' },
    element('h3', { textContent: `Found with ${sent} requests` }),
    variables.length === 0
      ? undefined
      : element('p', {
          textContent: `It reads ${names}. As long as this command runs, what you wrote out is used; set the variables before a run elsewhere.`,
        }),
    element('pre', { textContent: text, tabIndex: 0, attributes: { role: 'region', 'aria-label': label } }),
    element(
      'div',
      { className: 'actions' },
      button('Use this configuration', () => take(text), 'primary'),
    ),
  );
}
