/** Random pulls of rows that an API inserts, changes and deletes, into tables that mirror them or have versions. */
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import type { Sink } from '../../../sinks/contract.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { calm, earlierOf, pageEnd } from '../lib.js';

/** A table `t` of a destination. */
export interface PulledTable {
  /** A sink for these options, as in its address: `mode=history`. */
  readonly sink: (options: string) => Sink;
  /** Rows as texts: `id`, `name` or nothing, and whether the row is current. */
  readonly read: (form: 'typed' | 'item', column: string | undefined) => Promise<readonly string[]>;
  readonly drop: () => Promise<unknown>;
}

type Item = { readonly id: number; readonly name?: string | undefined };

/** Pulls items into `t`. `isComplete`: as the run says at its end. */
export async function pullItems(sink: Sink, items: readonly Item[], isComplete: boolean, perPage = 3): Promise<void> {
  try {
    await sink.resume?.(earlierOf({ isStored: false, run: `run${Math.random()}` }));
    await sink.open?.('t', 'job');
    for (let at = 0, page = 0; at < items.length; at += perPage, page += 1) {
      const own = items.slice(at, at + perPage);
      await sink.write(batchOf('t', own), calm);
      await sink.commit?.(pageEnd('t', { page, count: own.length }), calm);
    }
    await sink.close({ keep: new Set(), complete: new Set(isComplete ? ['t'] : []) });
  } catch (thrown) {
    await sink.abort(thrown);
    throw thrown;
  }
}

const textOf = ({ id, name }: Item, isCurrent: boolean): string => `${id} ${name ?? ''} ${isCurrent}`;

interface Version {
  readonly item: Item;
  isCurrent: boolean;
}

/** What a table must have after pulls. */
class Expected {
  readonly #mode: string;
  readonly #versions: Version[] = [];

  constructor(mode: string) {
    this.#mode = mode;
  }

  take(items: readonly Item[], isComplete: boolean): void {
    const last = new Map(items.map((item) => [item.id, item]));
    for (const item of last.values()) this.#put(item);
    if (!isComplete) return;
    for (const version of this.#versions) if (!last.has(version.item.id)) version.isCurrent = false;
  }

  #put(item: Item): void {
    const isOwn = (each: Version) => each.item.id === item.id && (each.isCurrent || this.#mode !== 'history');
    const at = this.#versions.findIndex(isOwn);
    const found = this.#versions[at];
    if (this.#mode !== 'history') {
      this.#versions.splice(at < 0 ? this.#versions.length : at, at < 0 ? 0 : 1, { item, isCurrent: true });
      return;
    }
    if (found?.item.name === item.name && found !== undefined) return;
    if (found !== undefined) found.isCurrent = false;
    this.#versions.push({ item, isCurrent: true });
  }

  texts(): readonly string[] {
    const stays = this.#mode !== 'mirror';
    return this.#versions
      .filter(({ isCurrent }) => stays || isCurrent)
      .map((each) => textOf(each.item, each.isCurrent));
  }
}

const forms = [
  { options: 'mode=mirror&key=id', mode: 'mirror', column: undefined },
  { options: 'mode=mirror&key=id&deleted=gone', mode: 'marked', column: 'gone' },
  { options: 'mode=history&key=id', mode: 'history', column: 'valid_to' },
] as const;

/** Pulls `rounds` times for each mode and form; the table must be that of the model after each pull. */
export async function checkPulls(table: PulledTable, seed: number, rounds = 12): Promise<void> {
  const next = mulberry32(seed);
  const below = (most: number) => next() % most;
  for (const { options, mode, column } of forms) {
    for (const form of ['typed', 'item'] as const) {
      await table.drop();
      const expected = new Expected(mode);
      const api = new Map<number, Item>();
      for (let round = 0; round < rounds; round += 1) {
        change(api, below);
        const isComplete = below(3) > 0;
        const all = [...api.values()];
        const pulled = isComplete ? all : all.filter(() => below(2) === 0);
        const repeated =
          pulled.length > 0 && below(4) === 0 ? [{ ...pulled[0], id: pulled[0]?.id ?? 0, name: 'before' }] : [];
        await pullItems(table.sink(`${options}&columns=${form}`), [...repeated, ...pulled], isComplete);
        expected.take([...repeated, ...pulled], isComplete);
        const found = await table.read(form, column);
        assert.equal([...found].sort(), [...expected.texts()].sort(), `${mode}, ${form}, round ${round}, seed ${seed}`);
      }
    }
  }
}

/** Inserts, changes and deletes some rows; sometimes all, and a member may be absent. */
function change(api: Map<number, Item>, below: (most: number) => number): void {
  if (below(8) === 0) api.clear();
  for (let count = below(6); count > 0; count -= 1) {
    const id = below(8);
    if (below(3) === 0) api.delete(id);
    else api.set(id, below(4) === 0 ? { id } : { id, name: `n${below(3)}` });
  }
}
