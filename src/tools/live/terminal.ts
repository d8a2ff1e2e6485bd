/** A terminal with a frame below its lines. `log-update` draws; cases that it gets wrong are handled here. */
import type { Writable } from 'node:stream';
import { createLogUpdate } from 'log-update';
import { widthOf } from '../text/cells.js';
import type { Size } from './frame.js';

export interface Terminal {
  size(): Size;
  /** Replaces the frame. The cursor is hidden meanwhile. */
  draw(lines: readonly string[]): void;
  /** Prints a permanent line above the frame. */
  print(line: string): void;
  /** Removes the frame and shows the cursor. */
  end(): void;
}

/** A stream of a terminal, as Node declares it. */
export type Tty = Writable & { readonly columns?: number; readonly rows?: number };

export function createTerminal(stream: Tty): Terminal {
  const update = createLogUpdate(stream);
  let shown: readonly string[] = [];
  let shownIn = 0;
  let isDrawing = false;
  const size = () => ({ columns: stream.columns || 80, rows: stream.rows || 24 });

  const erase = () => {
    const { columns } = size();
    if (shown.length > 0 && columns < shownIn) {
      // The terminal wrapped lines that became too long, but log-update only knows the rows it wrote.
      stream.write(`\r\u001b[${rowsOf(shown, columns)}A\u001b[J`);
      update.done();
    } else update.clear();
    shown = [];
  };
  const draw = (lines: readonly string[]) => {
    const { columns } = size();
    if (columns === shownIn && lines.length === shown.length && lines.every((line, at) => line === shown[at])) return;
    // log-update 7.2 patches changed lines, and fails if lines are added or removed between unchanged ones.
    if (columns < shownIn || lines.length !== shown.length) erase();
    update(lines.join('\n'));
    isDrawing = true;
    shown = lines;
    shownIn = columns;
  };

  return {
    size,
    draw,
    print(line) {
      const lines = shown;
      erase();
      stream.write(`${line}\n`);
      if (lines.length > 0) draw(lines);
    },
    end() {
      if (!isDrawing) return;
      isDrawing = false;
      erase();
      update.done();
    },
  };
}

const rowsOf = (lines: readonly string[], columns: number): number =>
  lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
