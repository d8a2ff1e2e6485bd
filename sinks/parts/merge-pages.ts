/** The pages of many members as one list, in the order in which one process has them. Few parts are open at once. */
import { compareOrders, orderOf } from './page-order.js';
import type { OutputPart } from './part.js';
import type { PartPage, PartStore } from './part-store.js';

/** The parts of a member that have a page left. */
interface OpenMember {
  readonly pages: AsyncGenerator<PartPage>;
  readonly next: PartPage;
  /** Of its next page. */
  readonly order: readonly number[];
}

type PageStore = Pick<PartStore, 'pages'>;

/**
 * Yields the pages of all members, each with parts in order. A page must be read before the next one. A member is
 * opened at its first page, and closed after its last one.
 */
export async function* mergedPages(
  store: PageStore,
  members: Iterable<readonly OutputPart[]>,
): AsyncGenerator<PartPage, undefined> {
  const waiting = inOrder(members);
  let open: readonly OpenMember[] = [];
  try {
    for (let at = 0; at < waiting.length || open.length > 0; ) {
      const starting = waiting[at];
      const earliest = earliestOf(open);
      if (starting !== undefined && !isBefore(earliest, starting.order)) {
        at += 1;
        open = [...open, ...(await advanced(pagesOf(store, starting.parts)))];
      } else if (earliest !== undefined) {
        yield earliest.next;
        const others = open.filter((each) => each !== earliest);
        open = [...others, ...(await advanced(earliest.pages))];
      }
    }
  } finally {
    for (const { pages } of open) await pages.return(undefined);
  }
  return undefined;
}

/** The members that have parts, by the places of their first pages. */
const inOrder = (members: Iterable<readonly OutputPart[]>) =>
  [...members]
    .flatMap((parts) => parts.slice(0, 1).map(({ first }) => ({ parts, order: orderOf(first) })))
    .sort((one, other) => compareOrders(one.order, other.order));

/** Of members with equal places the one that was opened first. */
const earliestOf = (open: readonly OpenMember[]): OpenMember | undefined =>
  open.reduce<OpenMember | undefined>(
    (least, each) => (least === undefined || isBefore(each, least.order) ? each : least),
    undefined,
  );

const isBefore = (member: OpenMember | undefined, order: readonly number[]): boolean =>
  member !== undefined && compareOrders(member.order, order) < 0;

async function* pagesOf(store: PageStore, parts: readonly OutputPart[]): AsyncGenerator<PartPage> {
  for (const part of parts) yield* store.pages(part);
}

/** The member at its next page; none after the last one. */
async function advanced(pages: AsyncGenerator<PartPage>): Promise<readonly OpenMember[]> {
  const { done, value } = await pages.next();
  return done === true ? [] : [{ pages, next: value, order: orderOf(value) }];
}
