/** Notes among staged rows: rows whose first cell is JSON, where those of items have none. */
import { QUOTE } from '../../src/core/json/byte-steps.js';
import { LF, writeQuoted } from '../csv/csv-cells.js';
import type { GrowingBytes } from '../growing-bytes.js';

/** The place of the items that follow in the staged rows. */
export interface PlaceNote {
  readonly job: string;
  readonly page: number;
  /** Of the first item, in its page, from 0. */
  readonly offset: number;
}

/** Writes a note as a row. */
export function writeNote(note: object, out: GrowingBytes): void {
  const bytes = Buffer.from(JSON.stringify(note));
  writeQuoted(bytes, 0, bytes.length, out);
  out.byte(LF);
}

export interface NoteReader {
  /** Reads the next bytes of the rows. */
  read(bytes: Buffer): void;
  /** The notes so far. */
  readonly notes: readonly object[];
}

/** Finds the notes in rows that come in pieces. */
export function createNoteReader(): NoteReader {
  const notes: object[] = [];
  let isQuoted = false;
  let isStart = true;
  let isNote = false;
  let text: Buffer[] = [];

  const endNote = () => {
    const cell = Buffer.concat(text).toString();
    notes.push(JSON.parse(cell.slice(1, -1).replaceAll('""', '"')));
    text = [];
  };
  return {
    notes,
    read(bytes) {
      let from = 0;
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at];
        if (isStart) {
          isNote = byte === QUOTE;
          from = at;
        }
        isStart = false;
        if (byte === QUOTE) isQuoted = !isQuoted;
        if (byte !== LF || isQuoted) continue;
        isStart = true;
        if (!isNote) continue;
        text.push(bytes.subarray(from, at));
        endNote();
        isNote = false;
      }
      if (isNote && !isStart) text.push(Buffer.from(bytes.subarray(from)));
    },
  };
}
