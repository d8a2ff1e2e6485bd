/** Copies the items of a page within its transaction, and leaves out those that the table refuses. */
import { type Batch, sizeOf } from '../../src/core/model/batch.js';
import { partOf, partsWithout } from '../batch-parts.js';
import type { ItemErrors } from '../item-errors.js';
import type { PostgresConnection } from './postgres-client.js';
import { isItemFault, lineOf, refusalOf } from './postgres-errors.js';
import type { TableForm, TargetTable } from './table.js';

/** The items of a page that were refused: their bytes by their place in the page, from 0. */
export type RefusedPlaces = Map<number, number>;

interface Placing {
  readonly form: Pick<TableForm, 'copy' | 'forget'>;
  readonly errors: Pick<ItemErrors, 'refuse'>;
  readonly table: TargetTable;
  /** Items in it are not tried again, and not reported again. Those that are refused now are added. */
  readonly refused: RefusedPlaces;
}

/** Copies items, each with its page's transaction open. Reports those that the table refuses, one after the other. */
export async function placeItems(
  connection: PostgresConnection,
  batches: readonly Batch[],
  placing: Placing,
): Promise<void> {
  for (const batch of batches) {
    const parts = [...accepted(batch, placing.refused)];
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const fault = await tryPart(connection, part, placing);
      if (fault === undefined) continue;
      if (part.count > 1) parts.unshift(...smallerParts(part, lineOf(fault)));
      else await refuse(part, fault, placing);
    }
  }
}

/** The place in its page of the first item that the table refuses. Leaves the transaction to be rolled back. */
export async function firstRefused(
  connection: PostgresConnection,
  batches: readonly Batch[],
  place: Pick<Placing, 'form' | 'table'>,
): Promise<number | undefined> {
  let first: number | undefined;
  const found = new Error('found');
  const refuse = async ({ batch }: { readonly batch: Batch }) => {
    first = batch.offset;
    throw found;
  };
  await placeItems(connection, batches, { ...place, errors: { refuse }, refused: new Map() }).catch(
    (thrown: unknown) => {
      if (thrown !== found) throw thrown;
    },
  );
  return first;
}

/** The parts of a batch without the refused items. */
export function accepted(batch: Batch, refused: RefusedPlaces): readonly Batch[] {
  const places = [...refused.keys()].filter((place) => place >= batch.offset && place < batch.offset + batch.count);
  return partsWithout(
    batch,
    places.map((place) => place - batch.offset).sort((a, b) => a - b),
  );
}

async function refuse(item: Batch, fault: unknown, { errors, table, refused }: Placing): Promise<void> {
  await errors.refuse({ batch: item, index: 0, reason: refusalOf(table.shown, fault), cause: fault });
  refused.set(item.offset, sizeOf(item, 0));
}

/** Resolves to why an item of the part is refused; then nothing of the part is there. */
async function tryPart(connection: PostgresConnection, part: Batch, { form, table }: Placing): Promise<unknown> {
  await connection.query('SAVEPOINT items');
  try {
    await form.copy(connection, table, { chunks: [part.bytes], batches: [part], offset: part.offset });
    await connection.query('SET CONSTRAINTS ALL IMMEDIATE; RELEASE SAVEPOINT items');
    return undefined;
  } catch (thrown) {
    if (!isItemFault(thrown)) throw thrown;
    form.forget(table);
    await connection.query('ROLLBACK TO SAVEPOINT items; RELEASE SAVEPOINT items');
    return thrown;
  }
}

/** What is before the item at fault, that item, and what follows it; halves if the server does not name it. */
function smallerParts(part: Batch, line: number | undefined): readonly Batch[] {
  const { count } = part;
  const cuts = line === undefined || line > count ? [0, count >> 1, count] : [0, line - 1, line, count];
  return cuts.flatMap((from, index) => {
    const to = cuts[index + 1] ?? from;
    return from < to ? [partOf(part, from, to)] : [];
  });
}
