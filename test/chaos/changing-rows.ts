/**
 * Rows of an API that change between pulls: inserts, updates, deletes, rows of one moment, rows that come late, and
 * servers whose clocks differ.
 */
import type { Dice } from './dice.js';

export interface ChangingItem {
  readonly id: number;
  readonly updated: string;
  readonly name: string;
  /** A row that is gone: its last version says so. */
  readonly deleted: boolean;
}

/** What has happened so far, each at least once in a long run. */
export interface ChangesSeen {
  inserts: number;
  updates: number;
  deletes: number;
  /** Versions with the moment of another row, or of the version before. */
  ties: number;
  /** Versions below the highest moment. */
  late: number;
  /** Versions of a server whose clock is wrong. */
  skewed: number;
}

/** How long the transaction of a row may last, in seconds. */
const longestTransaction = 300;
/** How far the clocks of the servers that write rows are off, in seconds. */
const clocks = [0, -120, 120] as const;

/** How far a row may be below the highest moment, in seconds. */
export const mostLate = longestTransaction + Math.max(...clocks) - Math.min(...clocks);

export class ChangingRows {
  readonly #dice: Dice;
  readonly #forgets: boolean;
  readonly #rows = new Map<number, ChangingItem>();
  readonly #moments = new Set<string>();
  #clock = Date.UTC(2026, 0, 1);
  #last = 0;
  #highest = '';
  readonly seen: ChangesSeen = { inserts: 0, updates: 0, deletes: 0, ties: 0, late: 0, skewed: 0 };

  /** `forgets`: a deleted row is not there any more, and no answer says so. */
  constructor(dice: Dice, forgets = false) {
    this.#dice = dice;
    this.#forgets = forgets;
  }

  /** Versions so far. */
  get changes(): number {
    return this.seen.inserts + this.seen.updates + this.seen.deletes;
  }

  /** Changes some rows. */
  change(): void {
    const dice = this.#dice;
    const count = dice.pick([0, 0, 1, 3, 8, 40]);
    for (let turn = 0; turn < count; turn++) {
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
    const skew = this.#dice.happens(0.2) ? this.#dice.pick(clocks) : 0;
    const lasts = this.#dice.happens(0.1) ? this.#dice.between(1, longestTransaction) : 0;
    const updated = new Date(this.#clock + (skew - lasts) * 1000).toISOString();
    const before = this.#rows.get(id);
    // A clock never takes a row back.
    if (before !== undefined && before.updated > updated) return;
    this.#count(before, deleted, updated, skew);
    this.#rows.set(id, { id, updated, name: `version ${this.changes}`, deleted });
  }

  #count(before: ChangingItem | undefined, deleted: boolean, updated: string, skew: number): void {
    const { seen } = this;
    if (deleted) seen.deletes += 1;
    else if (before === undefined) seen.inserts += 1;
    else seen.updates += 1;
    if (this.#moments.has(updated)) seen.ties += 1;
    if (updated < this.#highest) seen.late += 1;
    else this.#highest = updated;
    if (skew !== 0) seen.skewed += 1;
    this.#moments.add(updated);
  }
}
