/** Panels of which one is shown, with a row of tabs as ARIA describes them. */
import { element } from './dom.js';

export interface Panel {
  readonly id: string;
  readonly label: string;
  readonly content: HTMLElement;
  /** Called when it is shown. */
  readonly onShow?: () => void;
}

export interface Tabs {
  readonly list: HTMLElement;
  readonly panels: readonly HTMLElement[];
  show(id: string): void;
  /** A number beside the label; empty: none. */
  note(id: string, text: string, tone?: 'bad' | 'good' | ''): void;
  /** The panel is beside the others, and needs no tab. */
  setApart(id: string, isApart: boolean): void;
}

interface Part extends Panel {
  readonly tab: HTMLElement;
  readonly badge: HTMLElement;
  readonly place: HTMLElement;
  isApart: boolean;
}

export function createTabs(label: string, panels: readonly Panel[]): Tabs {
  const list = element('div', { className: 'tabs', attributes: { role: 'tablist', 'aria-label': label } });
  const parts = panels.map(partOf);
  let shown = '';
  const draw = () => {
    for (const { id, tab, place, isApart } of parts) {
      const isShown = id === shown;
      tab.setAttribute('aria-selected', String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      tab.hidden = isApart;
      place.hidden = !isShown && !isApart;
    }
  };
  const find = (id: string) => parts.find((each) => each.id === id);
  const show = (id: string) => {
    shown = id;
    draw();
    find(id)?.onShow?.();
    find(id)?.tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  const usable = () => parts.filter(({ isApart }) => !isApart);
  for (const { id, tab } of parts) tab.addEventListener('click', () => show(id));
  moveByKeys(list, (step) => {
    const all = usable();
    const next =
      all[
        step(
          all.findIndex(({ id }) => id === shown),
          all.length,
        )
      ];
    if (next === undefined) return;
    show(next.id);
    next.tab.focus();
  });
  list.append(...parts.map(({ tab }) => tab));
  show(panels[0]?.id ?? '');
  return {
    list,
    panels: parts.map(({ place }) => place),
    show,
    note: (id, text, tone = '') => setBadge(find(id)?.badge, text, tone),
    setApart(id, isApart) {
      for (const part of parts) if (part.id === id) part.isApart = isApart;
      if (isApart && shown === id) show(usable()[0]?.id ?? '');
      else draw();
    },
  };
}

function partOf(panel: Panel): Part {
  const badge = element('span', { className: 'badge', hidden: true });
  const tab = element(
    'button',
    { type: 'button', id: `tab-${panel.id}`, attributes: { role: 'tab', 'aria-controls': `panel-${panel.id}` } },
    panel.label,
    badge,
  );
  const attributes = { role: 'tabpanel', 'aria-labelledby': tab.id, tabindex: '-1' };
  const place = element('section', { id: `panel-${panel.id}`, className: 'panel', attributes }, panel.content);
  return { ...panel, tab, badge, place, isApart: false };
}

type Step = (at: number, count: number) => number;

const steps: Readonly<Record<string, Step>> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

function moveByKeys(list: HTMLElement, move: (step: Step) => void): void {
  list.addEventListener('keydown', (event) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(step);
  });
}

function setBadge(badge: HTMLElement | undefined, text: string, tone: string): void {
  if (badge === undefined) return;
  badge.textContent = text;
  badge.className = `badge ${tone}`;
  badge.hidden = text === '';
}
