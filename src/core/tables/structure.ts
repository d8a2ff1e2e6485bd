/**
 * What is known of the items of a data type: a tree with a node for each member and for the elements of each list. It
 * decides which columns and which tables of lists there are. docs/15-tables.md#kinds.
 */
import { ExtractError } from '../errors/errors.js';
import { type Exact, isArray, isObject } from '../json/exact.js';

/** `nothing`: only `null` so far. */
type NodeKind = 'nothing' | 'scalar' | 'object' | 'list';

export interface StructureNode {
  kind: NodeKind;
  /** Its members, in the order in which they were first seen. */
  readonly members: Map<string, StructureNode>;
  /** The elements of a list; absent: no list had any. */
  element?: StructureNode | undefined;
  /** The order in which nodes were first seen: names that clash are given in this order. */
  readonly seen: number;
  /** The column that an earlier run has given it. */
  readonly column?: string | undefined;
}

/** The structure of a data type; it grows with its items. */
export interface Structure {
  /** The items. */
  readonly root: StructureNode;
  /** No item was seen; an earlier run may have had some. */
  readonly isEmpty: boolean;
  /** A list was directly inside a list, or an item. */
  readonly hasInnerLists: boolean;
  /** Throws ERR_TABLE if the item does not fit those before it; the structure may have grown by then. */
  grow(item: Exact): void;
}

/** Starts with a structure that is known, or with nothing. */
export function createStructure(dataType: string, known?: StructureNode): Structure {
  const root = known ?? createNode(0);
  const growth: Growth = { dataType, next: countNodes(root), hasInnerLists: false };
  let isEmpty = true;
  return {
    root,
    get isEmpty() {
      return isEmpty;
    },
    get hasInnerLists() {
      return growth.hasInnerLists;
    },
    grow(item) {
      isEmpty = false;
      growBy(root, asValue(item, growth), [], growth);
    },
  };
}

/** An inner list is a single value: its JSON text. */
function asValue(element: Exact, growth: Growth): Exact {
  if (!isArray(element)) return element;
  growth.hasInnerLists = true;
  return 'a list';
}

export const createNode = (seen: number, column?: string): StructureNode => ({
  kind: 'nothing',
  members: new Map(),
  seen,
  column,
});

const countNodes = ({ members, element }: StructureNode): number =>
  1 +
  [...members.values(), ...(element === undefined ? [] : [element])].reduce((sum, each) => sum + countNodes(each), 0);

interface Growth {
  readonly dataType: string;
  /** The place of the next node in the order of first sight. */
  next: number;
  hasInnerLists: boolean;
}

type Path = readonly string[];

function growBy(node: StructureNode, value: Exact, path: Path, growth: Growth): void {
  if (value === null) return;
  if (isArray(value)) growList(node, value, path, growth);
  else if (node.kind === 'list') growBy(elementOf(node, growth), value, path, growth);
  else growValue(node, value, path, growth);
}

function growValue(node: StructureNode, value: Exact, path: Path, growth: Growth): void {
  const kind = isObject(value) ? 'object' : 'scalar';
  if (node.kind === 'nothing') node.kind = kind;
  if (node.kind !== kind) throw mismatch(node.kind, kind, path, growth);
  if (isObject(value)) for (const [name, member] of value) growMember(node, name, member, path, growth);
}

function growMember(node: StructureNode, name: string, value: Exact, path: Path, growth: Growth): void {
  let member = node.members.get(name);
  if (member === undefined) {
    member = createNode(growth.next++);
    node.members.set(name, member);
  }
  growBy(member, value, [...path, name], growth);
}

/** What was a single value becomes a list of it. */
function growList(node: StructureNode, list: readonly Exact[], path: Path, growth: Growth): void {
  const before = node.kind === 'list' || node.kind === 'nothing' ? undefined : asElement(node, growth);
  node.kind = 'list';
  for (const each of list) growBy(elementOf(node, growth), asValue(each, growth), path, growth);
  if (before !== undefined) join(elementOf(node, growth), before, path, growth);
}

/** The node's own knowledge, as that of an element. */
function asElement(node: StructureNode, growth: Growth): StructureNode {
  const element: StructureNode = { kind: node.kind, members: new Map(node.members), seen: growth.next++ };
  node.members.clear();
  return element;
}

function elementOf(node: StructureNode, growth: Growth): StructureNode {
  node.element ??= createNode(growth.next++, 'data');
  return node.element;
}

/** Adds what another node knows, after what this one knows. */
function join(node: StructureNode, other: StructureNode, path: Path, growth: Growth): void {
  if (other.kind === 'nothing') return;
  if (node.kind === 'nothing') node.kind = other.kind;
  if (node.kind !== other.kind) throw mismatch(other.kind, node.kind, path, growth);
  for (const [name, member] of other.members) {
    const own = node.members.get(name);
    if (own === undefined) node.members.set(name, member);
    else join(own, member, [...path, name], growth);
  }
  if (other.element !== undefined) join(elementOf(node, growth), other.element, path, growth);
}

const words: Readonly<Record<NodeKind, string>> = {
  nothing: 'null',
  scalar: 'a single value',
  object: 'an object',
  list: 'a list',
};

function mismatch(before: NodeKind, now: NodeKind, path: Path, { dataType }: Growth): ExtractError {
  const name = path.length === 0 ? `an item of "${dataType}"` : `"${path.join('.')}" of "${dataType}"`;
  return new ExtractError(
    'ERR_TABLE',
    `${name} is ${words[now]}, and was ${words[before]} in an earlier item: it cannot be a column of both. Keep it as JSON text with \`responseFilter\` of the job, or map it`,
  );
}
