/** The structures of data types in the state of a data folder, as Generic Extractor keeps them. */
import { type Exact, ExactNumber, type ExactObject, isObject } from '../json/exact.js';
import { createNode, type StructureNode } from './structure.js';
import { columnNames } from './table-plan.js';

/** The keys of the state. */
const structKey = 'json_parser.struct';
const versionKey = 'json_parser.structVersion';
/** The marks of nodes: members have an underscore before their names. */
const elementKey = '[]';

/** The structures that an earlier run has stored, by data type; those of other versions are not used. */
export function structuresIn(state: ExactObject): ReadonlyMap<string, StructureNode> {
  const struct = state.get(structKey);
  const data = isObject(struct) ? struct.get('data') : undefined;
  if (!isObject(data) || String(state.get(versionKey)) !== '3') return new Map();
  const counter = { next: 0 };
  const found = [...data].flatMap(([name, stored]) => {
    const root = isObject(stored) ? stored.get(elementKey) : undefined;
    if (!name.startsWith('_') || !isObject(root)) return [];
    return [[name.slice(1), readNode(root, counter)] as const];
  });
  return new Map(found);
}

function readNode(stored: ExactObject, counter: { next: number }): StructureNode {
  const column = stored.get('headerNames');
  const node = createNode(counter.next++, typeof column === 'string' ? column : undefined);
  node.kind = kinds.get(stored.get('nodeType') ?? null) ?? 'nothing';
  for (const [name, member] of stored) {
    if (!isObject(member)) continue;
    if (name === elementKey) node.element = readNode(member, counter);
    else if (name.startsWith('_')) node.members.set(name.slice(1), readNode(member, counter));
  }
  return node;
}

const kinds = new Map<Exact, StructureNode['kind']>([
  ['scalar', 'scalar'],
  ['object', 'object'],
  ['array', 'list'],
]);

/** The members of the next state that keep the structures. */
export function structureState(structures: ReadonlyMap<string, StructureNode>): ExactObject {
  const data = [...structures].map(([dataType, root]): [string, Exact] => [
    `_${dataType}`,
    new Map<string, Exact>([
      [elementKey, writeNode(root, 'data', columnNames(root))],
      ['nodeType', 'array'],
    ]),
  ]);
  const struct = new Map<string, Exact>([
    ['data', data.length === 0 ? [] : new Map(data)],
    ['parent_aliases', []],
  ]);
  return new Map<string, Exact>([
    [structKey, struct],
    [versionKey, new ExactNumber('3')],
  ]);
}

/** `columns` are the names of the row that has the node. */
function writeNode(node: StructureNode, column: string, columns: ReadonlyMap<StructureNode, string>): ExactObject {
  const { members, element, kind } = node;
  const stored = [...members].map(([name, member]): [string, Exact] => [
    `_${name}`,
    writeNode(member, columns.get(member) ?? '', columns),
  ]);
  const inner: [string, Exact][] =
    element === undefined ? [] : [[elementKey, writeNode(element, 'data', columnNames(element))]];
  return new Map([...stored, ...inner, ['nodeType', nodeTypes[kind]], ['headerNames', column]]);
}

const nodeTypes = { nothing: 'null', scalar: 'scalar', object: 'object', list: 'array' } as const;
