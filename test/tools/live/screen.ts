/**
 * A terminal for tests: interprets what the display writes, and rewraps lines when its width changes, as terminals do.
 */
import { Writable } from 'node:stream';
import type { Tty } from '../../../src/tools/live/terminal.js';
import { widthOf } from '../../../src/tools/text/cells.js';

export interface Screen {
  readonly stream: Tty;
  /** All that there is to be seen, scrolled away or not, without empty lines at its end. */
  lines(): readonly string[];
  resize(columns: number): void;
  /** Whether something was ever written. */
  isTouched(): boolean;
}

type Move = (screen: State, count: number) => void;

/** Rows of text; a wide character is one character of its row. `soft`: the row continues in the next. */
interface State {
  rows: { text: string; soft: boolean }[];
  y: number;
  x: number;
}

const rowAt = (state: State, y: number) => {
  while (state.rows.length <= y) state.rows.push({ text: '', soft: false });
  return state.rows[y] ?? { text: '', soft: false };
};

const moves: Readonly<Record<string, Move>> = {
  A: (state, count) => {
    state.y = Math.max(0, state.y - count);
  },
  B: (state, count) => {
    state.y += count;
  },
  G: (state) => {
    state.x = 0;
  },
  K: (state, count) => {
    const row = rowAt(state, state.y);
    row.text = count === 2 ? '' : row.text.slice(0, state.x);
    row.soft = false;
  },
  J: (state) => {
    rowAt(state, state.y).text = rowAt(state, state.y).text.slice(0, state.x);
    state.rows.length = state.y + 1;
  },
  // Colours, the cursor and synchronized output change no text.
  m: () => {},
  h: () => {},
  l: () => {},
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: what controls a terminal begins with one.
const tokens = /\u001b\[\??([\d;]*)([A-Za-z])|\n|\r|[^\u001b\n\r]/gu;

/** A screen of so many columns and 100 rows. An escape that it does not know fails the test. */
export function screenOf(columns: number): Screen {
  const state: State = { rows: [], y: 0, x: 0 };
  let isTouched = false;

  const put = (text: string) => {
    if (widthOf(rowAt(state, state.y).text.slice(0, state.x) + text) > stream.columns) {
      rowAt(state, state.y).soft = true;
      state.y += 1;
      state.x = 0;
    }
    const row = rowAt(state, state.y);
    row.text = row.text.slice(0, state.x).padEnd(state.x) + text + row.text.slice(state.x + text.length);
    state.x += text.length;
  };
  const write = (text: string) => {
    isTouched ||= text !== '';
    for (const [token, count, letter] of text.matchAll(tokens)) {
      if (letter !== undefined) {
        const move = moves[letter];
        if (move === undefined) throw new Error(`unknown escape: ${JSON.stringify(token)}`);
        move(state, count === '' ? (letter === 'K' || letter === 'J' ? 0 : 1) : Number(count));
      } else if (token === '\n') {
        state.y += 1;
        state.x = 0;
        rowAt(state, state.y);
      } else if (token === '\r') state.x = 0;
      else put(token);
    }
  };
  const stream = Object.assign(
    new Writable({
      decodeStrings: false,
      write(chunk, _, done) {
        write(String(chunk));
        done();
      },
    }),
    { isTTY: true, columns, rows: 100 },
  );

  return {
    stream,
    lines: () => {
      const texts = state.rows.map(({ text }) => text.trimEnd());
      return texts.slice(0, texts.findLastIndex((text) => text !== '') + 1);
    },
    resize(width) {
      // Below the cursor there is nothing.
      const old = state.rows.slice(0, state.y + 1);
      stream.columns = width;
      Object.assign(state, { rows: [], y: 0, x: 0 });
      for (const [at, { text, soft }] of old.entries()) write(text + (soft || at === old.length - 1 ? '' : '\n'));
    },
    isTouched: () => isTouched,
  };
}
