/**
 * A terminal that keeps a frame below the lines it is told; `log-update` draws, what it leaves open is settled here.
 */
import type { Writable } from 'node:stream';
import { createLogUpdate } from 'log-update';
import type { Size } from './frame.js';
import { widthOf } from './width.js';

export interface Terminal {
  size(): Size;
  /** Puts the frame in the place of the one before. The cursor is hidden meanwhile. */
  draw(lines: readonly string[]): void;
  /** Writes a line that stays, above the frame. */
  say(line: string): void;
  /** Takes the frame away and shows the cursor. */
  end(): void;
}

/** A stream of a terminal, as Node has it. */
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
      // The terminal has broken the lines that became too long; log-update knows of the rows it wrote only.
      stream.write(`\r\u001b[${rowsOf(shown, columns)}A\u001b[J`);
      update.done();
    } else update.clear();
    shown = [];
  };
  const draw = (lines: readonly string[]) => {
    const { columns } = size();
    if (columns === shownIn && lines.length === shown.length && lines.every((line, at) => line === shown[at])) return;
    // log-update 7.2 patches the lines that changed, and goes wrong where lines come or go between others that stay.
    if (columns < shownIn || lines.length !== shown.length) erase();
    update(lines.join('\n'));
    isDrawing = true;
    shown = lines;
    shownIn = columns;
  };

  return {
    size,
    draw,
    say(line) {
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
