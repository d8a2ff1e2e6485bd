/** Rows of an API that change between pulls: inserts, updates, deletes, ties, late rows, and a skewed clock. */
import type { Dice } from './dice.js';

export interface ChangingItem {
  readonly id: number;
  readonly updated: string;
  readonly name: string;
  /** A row that is gone: its last version says so. */
  readonly deleted: boolean;
}

/** How late a row may be, in seconds. */
export const mostLate = 600;

export class ChangingRows {
  readonly #dice: Dice;
  readonly #forgets: boolean;
  readonly #rows = new Map<number, ChangingItem>();
  #clock = Date.UTC(2026, 0, 1);
  #last = 0;
  /** Versions so far. */
  changes = 0;

  /** `forgets`: a deleted row is not there any more, and no answer says so. */
  constructor(dice: Dice, forgets = false) {
    this.#dice = dice;
    this.#forgets = forgets;
  }

  /** Changes some rows. */
  change(): void {
    const dice = this.#dice;
    const count = dice.pick([0, 0, 1, 3, 8, 40]);
    for (let turn = 0; turn < count; turn++) {
      // Many rows of one second: ties.
      if (dice.happens(0.4)) this.#clock += dice.between(1, 120) * 1000;
      const id = this.#last > 0 && dice.happens(0.4) ? dice.between(1, this.#last) : ++this.#last;
      this.#set(id, dice.happens(0.1));
    }
  }

  /** The rows from a moment on, by their times. */
  since(moment: string | null): readonly ChangingItem[] {
    const rows = this.all().filter(({ updated }) => moment === null || updated >= moment);
    return rows.sort((a, b) => (a.updated < b.updated ? -1 : Number(a.updated > b.updated)) || a.id - b.id);
  }

  all(): readonly ChangingItem[] {
    const there = [...this.#rows.values()].filter(({ deleted }) => !this.#forgets || !deleted);
    return there.sort((a, b) => a.id - b.id);
  }

  #set(id: number, deleted: boolean): void {
    const late = this.#dice.happens(0.1) ? this.#dice.between(1, mostLate - 1) : 0;
    const moment = this.#clock - late * 1000;
    const before = this.#rows.get(id);
    // A clock never takes a row back.
    if (before !== undefined && Date.parse(before.updated) >= moment) return;
    this.changes += 1;
    const updated = new Date(moment).toISOString();
    this.#rows.set(id, { id, updated, name: `version ${this.changes}`, deleted });
  }
}
