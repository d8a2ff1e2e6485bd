/** The items in the body of a page, as places in its text: faults move, repeat and remove them byte by byte. */
import { type JsonNode, readJsonc } from '../ui/jsonc-tree.js';

/** A body around its items. */
export interface PageItems {
  readonly before: string;
  /** Each as it is written. */
  readonly items: readonly string[];
  readonly after: string;
}

/** Finds the list with the most objects in a body that is JSON; of equal ones the first. Undefined: there is none. */
export function itemsOf(body: Buffer): PageItems | undefined {
  const text = body.toString();
  if (!/^\s*[[{]/.test(text)) return undefined;
  const { root } = readJsonc(text);
  const lists = root === undefined ? [] : listsIn(root);
  const [first] = lists.sort((a, b) => b.items.length - a.items.length);
  if (first === undefined) return undefined;
  const items = first.items.map(({ from, to }) => text.slice(from, to));
  return { before: text.slice(0, first.from + 1), items, after: text.slice(first.to - 1) };
}

/** The body with other items. */
export const withItems = ({ before, after }: PageItems, items: readonly string[]): Buffer =>
  Buffer.from(`${before}${items.join(',')}${after}`);

/** The lists of objects that are in no other list. */
function listsIn(node: JsonNode): JsonNode[] {
  const { kind, items, members } = node;
  if (kind !== 'array') return members.flatMap(({ value }) => (value === undefined ? [] : listsIn(value)));
  return items.length > 0 && items.every((each) => each.kind === 'object') ? [node] : [];
}
