/** Completion and hover of the editor, from the schema of configurations. */
import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from '@codemirror/autocomplete';
import { type EditorView, hoverTooltip, type Tooltip } from '@codemirror/view';
import { type JsonNode, type JsonStep, type JsonTree, readJsonc } from '../jsonc-tree.js';
import { element } from './dom.js';
import { describe, type Schema, type SchemaWalk, typesOf, valuesOf } from './schema-walk.js';

interface Place {
  readonly kind: 'name' | 'value';
  /** Of the value, or of the object that has the name. */
  readonly steps: readonly JsonStep[];
  /** The object of a name. */
  readonly object?: JsonNode;
  /** What is there already. */
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

/** What is written at a position. */
function placeAt(tree: JsonTree, node: JsonNode, steps: readonly JsonStep[], at: number): Place {
  const value = (found: readonly JsonStep[], from = at, to = at): Place => ({
    kind: 'value',
    steps: found,
    from,
    to,
    name: String(found.at(-1) ?? ''),
  });
  const within = (each: JsonNode, own: readonly JsonStep[]) =>
    each.kind === 'object' || each.kind === 'array' ? placeAt(tree, each, own, at) : value(own, each.from, each.to);
  if (node.kind === 'array') {
    const index = node.items.findIndex(({ from, to }) => at >= from && at <= to);
    const item = node.items[index];
    return item === undefined ? value([...steps, node.items.length]) : within(item, [...steps, index]);
  }
  for (const [index, { name, key, value: own }] of node.members.entries()) {
    const below = [...steps, name];
    if (at >= key.from && at <= key.to) return { kind: 'name', steps, object: node, from: key.from, to: key.to, name };
    if (own !== undefined && at >= own.from && at <= own.to) return within(own, below);
    const next = node.members[index + 1]?.key.from ?? node.to;
    const colon = tree.text.indexOf(':', key.to);
    if (own === undefined && colon >= 0 && at > colon && at <= next && !tree.text.slice(colon, at).includes(',')) {
      return value(below);
    }
  }
  return { kind: 'name', steps, object: node, from: at, to: at, name: '' };
}

/** Of the schema, when it has been loaded. */
export function schemaCompletion(walk: SchemaWalk) {
  return ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const text = state.doc.toString();
    const tree = readJsonc(text);
    if (tree.root === undefined || pos <= tree.root.from || isInComment(tree, pos)) return null;
    const place = placeAt(tree, tree.root, [], pos);
    const word = /[\w.#$-]*$/.exec(text.slice(0, pos))?.[0] ?? '';
    const isOpen = place.from < place.to;
    if (!explicit && word === '' && !isOpen) return null;
    const [from, to] = isOpen ? [place.from, place.to] : [pos - word.length, pos];
    const options = place.kind === 'name' ? names(walk, tree, place, to) : values(walk, tree, place);
    return options.length === 0 ? null : { from, to, options, filter: true, validFor: /^"?[\w.#$ -]*"?$/ };
  };
}

const isInComment = ({ comments }: JsonTree, at: number) => comments.some(({ from, to }) => at > from && at <= to);

function names(
  walk: SchemaWalk,
  tree: JsonTree,
  { steps, object, name: own }: Place,
  to: number,
): readonly Completion[] {
  const written = new Set(object?.members.map(({ name }) => name));
  const rest = tree.text.slice(to);
  const hasValue = /^\s*:/.test(rest);
  const comma = /^\s*"/.test(rest) ? ',' : '';
  const found = walk.members(walk.at(tree, steps), object, tree.text);
  return [...found].flatMap(([name, members]) => {
    if (written.has(name) && name !== own) return [];
    const schemas = members.flatMap((each) => [each, ...walk.at(tree, [...steps, name])]);
    const { text } = describe(schemas);
    const template = `"${name}"${hasValue ? '' : `: ${valueTemplate(schemas)}${comma}`}`;
    return [snippetCompletion(template, { label: `"${name}"`, displayLabel: name, type: 'property', info: text })];
  });
}

function valueTemplate(schemas: readonly Schema[]): string {
  const [first] = typesOf(schemas).filter((type) => type !== 'null');
  if (first === 'object') return `{ ${hole} }`;
  if (first === 'array') return `[${hole}]`;
  return first === 'string' && valuesOf(schemas).size === 0 ? `"${hole}"` : hole;
}

/** Where the cursor is afterwards. */
const hole = '$' + '{}';

function values(walk: SchemaWalk, tree: JsonTree, { steps }: Place): readonly Completion[] {
  return [...valuesOf(walk.at(tree, steps))].map(([label, info]) => ({
    label,
    displayLabel: label.replaceAll('"', ''),
    type: 'value',
    ...(info !== '' && { info }),
  }));
}

/** What the schema says of a name or value below the pointer. */
export const schemaHover = (walk: SchemaWalk) =>
  hoverTooltip((view: EditorView, pos: number): Tooltip | null => {
    const text = view.state.doc.toString();
    const tree = readJsonc(text);
    if (tree.root === undefined || pos < tree.root.from || isInComment(tree, pos)) return null;
    const { kind, steps, from, to, name } = placeAt(tree, tree.root, [], pos);
    if (from === to) return null;
    const path = kind === 'name' ? [...steps, name] : steps;
    const literal = text.slice(from, to);
    const content = /\*\*\*\d+\*\*\*/.test(literal)
      ? element('p', { textContent: 'A secret that the file contains. It is not shown, and a save keeps it.' })
      : about(name, walk.at(tree, path), kind === 'value' ? literal : undefined);
    return content === undefined
      ? null
      : { pos: from, end: to, above: true, create: () => ({ dom: element('div', { className: 'hint' }, content) }) };
  });

function about(name: string, schemas: readonly Schema[], literal: string | undefined): HTMLElement | undefined {
  const ofValue = literal === undefined ? '' : (valuesOf(schemas).get(literal) ?? '');
  const { text, usual } = describe(schemas);
  const values = [...valuesOf(schemas).keys()].slice(0, 12);
  if (text === '' && ofValue === '') return undefined;
  return element(
    'div',
    {},
    element('strong', { textContent: name }),
    element('p', { textContent: text }),
    ofValue === '' ? undefined : element('p', {}, element('code', { textContent: literal ?? '' }), ` ${ofValue}`),
    usual === undefined
      ? undefined
      : element('p', { className: 'soft', textContent: `Default: ${JSON.stringify(usual)}` }),
    values.length === 0 || ofValue !== ''
      ? undefined
      : element('p', { className: 'soft', textContent: `One of ${values.join(', ')}` }),
  );
}
