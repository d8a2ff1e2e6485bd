/** A list of which only the rows in sight are in the page: 100,000 lines cost as much as 50. */
import { element } from './dom.js';

export interface VirtualList {
  readonly place: HTMLElement;
  setCount(count: number): void;
  /** Draws the rows in sight anew. */
  refresh(): void;
  /** Scrolls as little as needed. */
  reveal(index: number): void;
  isAtEnd(): boolean;
  toEnd(): void;
}

export interface VirtualListOptions {
  readonly role: 'list' | 'tree';
  readonly label: string;
  /** Of each row, in pixels. */
  readonly rowHeight: number;
  row(index: number): HTMLElement;
}

const spare = 6;

export function createVirtualList({ role, label, rowHeight, row }: VirtualListOptions): VirtualList {
  const inner = element('div', { className: 'rows', attributes: { role: 'presentation' } });
  const attributes = { role, 'aria-label': label };
  const place = element('div', { className: 'virtual', tabIndex: 0, attributes }, inner);
  let count = 0;
  let isWaiting = false;
  const draw = () => {
    isWaiting = false;
    const first = Math.max(0, Math.floor(place.scrollTop / rowHeight) - spare);
    const last = Math.min(count, Math.ceil((place.scrollTop + place.clientHeight) / rowHeight) + spare);
    const rows = Array.from({ length: Math.max(0, last - first) }, (_, offset) => {
      const made = row(first + offset);
      made.style.top = `${(first + offset) * rowHeight}px`;
      made.style.height = `${rowHeight}px`;
      made.setAttribute('aria-setsize', String(count));
      made.setAttribute('aria-posinset', String(first + offset + 1));
      return made;
    });
    inner.replaceChildren(...rows);
  };
  const refresh = () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(draw);
  };
  place.addEventListener('scroll', refresh, { passive: true });
  new ResizeObserver(refresh).observe(place);
  return {
    place,
    refresh,
    setCount(given) {
      count = given;
      inner.style.height = `${given * rowHeight}px`;
      refresh();
    },
    reveal(index) {
      const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight];
      if (top < place.scrollTop) place.scrollTop = top;
      else if (bottom > place.scrollTop + place.clientHeight) place.scrollTop = bottom - place.clientHeight;
    },
    isAtEnd: () => place.scrollTop + place.clientHeight >= place.scrollHeight - rowHeight,
    toEnd() {
      place.scrollTop = place.scrollHeight;
    },
  };
}
