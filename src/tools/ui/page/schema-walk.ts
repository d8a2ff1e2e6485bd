/** Finds the parts of the JSON Schema that are about a place in the configuration. */
import { type JsonNode, type JsonStep, type JsonTree, textOfString } from '../jsonc-tree.js';

/** The words of JSON Schema that the schema of configurations has. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

export interface SchemaWalk {
  /** All that may hold at a place. */
  at(tree: JsonTree, steps: readonly JsonStep[]): readonly Schema[];
  /** The members of objects that the schemas allow. */
  members(schemas: readonly Schema[], node: JsonNode | undefined, text: string): ReadonlyMap<string, readonly Schema[]>;
}

export function schemaWalk(root: Schema): SchemaWalk {
  const definitionOf = (ref: string): Schema => root.definitions?.[ref.replace(/^#\/definitions\//, '')] ?? {};

  /** The schema and all that it refers to, where its conditions may hold for the node. */
  function expand(
    schema: Schema,
    node: JsonNode | undefined,
    text: string,
    seen = new Set<Schema>(),
  ): readonly Schema[] {
    if (seen.has(schema)) return [];
    seen.add(schema);
    const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
    const all = [...(schema.$ref === undefined ? [] : [definitionOf(schema.$ref)]), ...inner];
    const holds = schema.if === undefined ? undefined : test(schema.if, node, text);
    if (schema.then !== undefined && holds !== false) all.push(schema.then);
    if (schema.else !== undefined && holds !== true) all.push(schema.else);
    return [schema, ...all.flatMap((each) => expand(each, node, text, seen))];
  }

  const members: SchemaWalk['members'] = (schemas, node, text) => {
    const found = new Map<string, Schema[]>();
    for (const each of schemas.flatMap((schema) => expand(schema, node, text))) {
      for (const [name, schema] of Object.entries(each.properties ?? {})) {
        found.set(name, [...(found.get(name) ?? []), schema]);
      }
    }
    return found;
  };

  const child = (schemas: readonly Schema[], node: JsonNode | undefined, text: string, step: JsonStep) => {
    const all = schemas.flatMap((schema) => expand(schema, node, text));
    if (typeof step === 'number') return all.flatMap(({ items }) => (items === undefined ? [] : [items]));
    const named = all.flatMap(({ properties }) => properties?.[step] ?? []);
    if (named.length > 0) return named;
    return all.flatMap(({ additionalProperties: other }) => (typeof other === 'object' ? [other] : []));
  };

  return {
    members,
    at(tree, steps) {
      let schemas: readonly Schema[] = [root];
      let node = tree.root;
      for (const step of steps) {
        schemas = child(schemas, node, tree.text, step);
        node =
          typeof step === 'number' ? node?.items[step] : node?.members.findLast(({ name }) => name === step)?.value;
      }
      return schemas.flatMap((schema) => expand(schema, node, tree.text));
    },
  };
}

/** Whether a condition holds; undefined: it is not known. */
function test(condition: Schema, node: JsonNode | undefined, text: string): boolean | undefined {
  const { properties = {}, required = [], type } = condition;
  if (type === 'object' && node !== undefined) return node.kind === 'object';
  const names = Object.keys(properties);
  if (names.length === 0 && required.length === 0) return undefined;
  const memberOf = (name: string) => node?.members.findLast((each) => each.name === name)?.value;
  if (required.some((name) => memberOf(name) === undefined)) return false;
  const results = names.map((name) => {
    const value = memberOf(name);
    const allowed = properties[name]?.enum ?? [properties[name]?.const];
    return value === undefined ? undefined : allowed.some((each) => isWritten(each, value, text));
  });
  return results.includes(false) ? false : results.includes(undefined) ? undefined : true;
}

function isWritten(value: unknown, node: JsonNode, text: string): boolean {
  const written = text.slice(node.from, node.to);
  return node.kind === 'string' ? textOfString(written) === value : written === JSON.stringify(value);
}

/** The values that schemas name, each with what it means. */
export function valuesOf(schemas: readonly Schema[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (value: unknown, about = '') => {
    const text = JSON.stringify(value);
    if (value !== '' && !found.get(text)) found.set(text, about);
  };
  for (const schema of schemas) {
    if (schema.const !== undefined) add(schema.const, schema.description);
    const all = schema.enum ?? [];
    // Forms that are read for compatibility are not offered.
    const isSwitch = all.includes(true) && all.includes(false);
    for (const each of isSwitch ? [true, false] : all) if (each !== null) add(each);
    if (schema.type === 'boolean') for (const each of [true, false]) add(each);
  }
  return found;
}

/** What schemas say of a value, the first that says something. */
export const describe = (schemas: readonly Schema[]): { readonly text: string; readonly usual: unknown } => ({
  text: schemas.find(({ description }) => description !== undefined)?.description ?? '',
  usual: schemas.find((each) => each.default !== undefined)?.default,
});

/** The types of JSON, each once. */
export const typesOf = (schemas: readonly Schema[]): readonly string[] => [
  ...new Set(schemas.flatMap(({ type }) => type ?? [])),
];
