/** Makes elements of the page. */

type Props<Tag extends keyof HTMLElementTagNameMap> = {
  readonly [Name in Exclude<keyof HTMLElementTagNameMap[Tag], 'attributes'>]?: HTMLElementTagNameMap[Tag][Name];
} & { readonly attributes?: Readonly<Record<string, string>> };

export type Child = Node | string | undefined;

/** An element with properties, attributes and children. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { attributes = {}, ...props }: Props<Tag> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  Object.assign(made, props);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((each) => each !== undefined));
  return made;
}

/** Replaces what is in an element. */
export function fill(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren(...children.filter((each) => each !== undefined));
}

export function button(label: string, onClick: () => void, className = ''): HTMLButtonElement {
  const made = element('button', { type: 'button', textContent: label, className });
  made.addEventListener('click', onClick);
  return made;
}

let fields = 0;

/** A control with its label and a line of help below it. */
export function field(label: string, control: HTMLElement, help = ''): HTMLElement {
  fields += 1;
  control.id = `field-${fields}`;
  const note =
    help === '' ? undefined : element('span', { className: 'help', id: `help-${fields}`, textContent: help });
  if (note !== undefined) control.setAttribute('aria-describedby', note.id);
  return element(
    'div',
    { className: 'field' },
    element('label', { htmlFor: control.id, textContent: label }),
    control,
    note,
  );
}

export const textField = (value = '', placeholder = ''): HTMLInputElement =>
  element('input', { type: 'text', value, placeholder, autocomplete: 'off', spellcheck: false });

/** Waits until nothing was called for so many ms. */
export function debounced(ms: number, work: () => void): () => void {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(waiting);
    waiting = setTimeout(work, ms);
  };
}
