/** The operations of an OpenAPI document: which there are, which return lists, and which is meant. */
import { usageError } from '../../core/util/check-value.js';
import { didYouMean } from '../../core/util/suggest.js';
import { entriesOf, listOf, memberOf, textOf } from './json-value.js';
import type { Located, OpenApiDocument } from './openapi-document.js';
import type { ReadContext } from './read-context.js';

export interface Operation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The name that the document gives it. */
  readonly id?: string;
  readonly summary?: string;
  readonly returnsList: boolean;
  readonly operation: Located;
  /** The path that the operation belongs to: its parameters and servers are those of the operation too. */
  readonly item: Located;
}

/** The name of an operation for `--operation`. */
export const nameOf = ({ id, method, path }: Operation): string => id ?? `${method} ${path}`;

/** Finds the operation of `--operation`, or the chosen one, or the only one. Rejects with ERR_USAGE, listing them. */
export async function findOperation(document: OpenApiDocument, context: ReadContext): Promise<Operation> {
  const operations = (await listOperations(document)).toSorted((one, other) => rank(one) - rank(other));
  const [first, ...others] = operations;
  if (first === undefined)
    throw usageError(`${document.label} has no operation with GET or POST, which are all that init sends`);
  if (context.operation !== undefined) return named(context.operation, operations, document.label);
  if (others.length === 0) return first;
  const choices = operations.map((each) => ({ value: nameOf(each), label: describe(each) }));
  const chosen = await context.choose('Which operation?', choices);
  if (chosen !== undefined) return named(chosen, operations, document.label);
  throw usageError(
    [`${document.label} has several operations: choose one with --operation NAME`, ...listed(operations)].join('\n'),
  );
}

/** A GET of a list first; a POST may change something. */
const rank = ({ method, returnsList }: Operation): number => (method === 'GET' ? 0 : 2) + (returnsList ? 0 : 1);

/** So many operations are listed. */
const mostListed = 40;

function listed(operations: readonly Operation[]): readonly string[] {
  const shown = operations.slice(0, mostListed).map((each) => `  ${describe(each)}`);
  const left = operations.length - shown.length;
  return left === 0 ? shown : [...shown, `  and ${left} more`];
}

function describe(operation: Operation): string {
  const { id, method, path, summary, returnsList } = operation;
  const call = id === undefined ? '' : `, ${method} ${path}`;
  return `${nameOf(operation)}${call}${returnsList ? ', a list' : ''}${summary === undefined ? '' : `: ${summary}`}`;
}

function named(wanted: string, operations: readonly Operation[], label: string): Operation {
  const isWanted = (each: Operation) =>
    [each.id, `${each.method} ${each.path}`, each.path].some((name) => name === wanted);
  const found = operations.find(isWanted);
  if (found !== undefined) return found;
  const names = operations.map(nameOf);
  const lower = wanted.toLowerCase();
  const hint = didYouMean(wanted, names) || alike(lower, names);
  throw usageError(
    `${label} has no operation "${wanted}" with GET or POST${hint || ': leave out --operation to see all'}`,
  );
}

function alike(wanted: string, names: readonly string[]): string {
  const near = names.filter((name) => name.toLowerCase().includes(wanted)).slice(0, 3);
  return near.length === 0 ? '' : `; try ${near.map((name) => `"${name}"`).join(', ')}`;
}

async function listOperations(document: OpenApiDocument): Promise<readonly Operation[]> {
  const known: KnownSchemas = new Map();
  const paths = await document.member(document.root, 'paths');
  const found: Operation[] = [];
  for (const [path, value] of entriesOf(paths.value)) {
    const item = await document.resolve({ value, base: paths.base });
    for (const [key, method] of [
      ['get', 'GET'],
      ['post', 'POST'],
    ] as const) {
      const operation = await document.member(item, key);
      if (operation.value === undefined) continue;
      const [id, summary] = [textOf(operation.value, 'operationId'), textOf(operation.value, 'summary')];
      const returnsList = !path.endsWith('}') && (await hasList(document, operation, known));
      found.push({
        method,
        path,
        item,
        operation,
        returnsList,
        ...(id === undefined ? {} : { id }),
        ...(summary === undefined ? {} : { summary: summary.replaceAll(/\s+/g, ' ').trim() }),
      });
    }
  }
  return found;
}

/** The media type and the content of a successful response that is JSON. */
export async function jsonResponse(
  document: OpenApiDocument,
  operation: Located,
): Promise<{ readonly type: string; readonly schema: Located } | undefined> {
  const responses = await document.member(operation, 'responses');
  const [status] = entriesOf(responses.value)
    .map(([name]) => name)
    .filter((name) => /^(?:2|default)/i.test(name));
  if (status === undefined) return undefined;
  const content = await document.member(responses, status, 'content');
  const type = entriesOf(content.value)
    .map(([name]) => name)
    .find((name) => /[/+]json\b/i.test(name));
  return type === undefined ? undefined : { type, schema: await document.member(content, type, 'schema') };
}

/** Whether a schema is that of a list, by its object: operations share schemas. */
type KnownSchemas = Map<unknown, boolean>;

async function hasList(document: OpenApiDocument, operation: Located, known: KnownSchemas): Promise<boolean> {
  try {
    const response = await jsonResponse(document, operation);
    if (response === undefined) return false;
    const { value } = response.schema;
    const isKnown =
      known.get(value) ?? (await isList(document, response.schema, { depth: 0, nesting: 0, seen: new Map() }));
    if (typeof value === 'object' && value !== null) known.set(value, isKnown);
    return isKnown;
  } catch {
    return false; // a reference that cannot be followed matters only if its operation is chosen
  }
}

/** Members that hold the list of a response, one level deeper than usual. */
const wrappers = /^(?:_embedded|body|content|data|list|page|payload|response|results?)$/i;

/** Where a schema is in the one that is searched. */
interface SchemaPlace {
  /** The number of members above it. */
  readonly depth: number;
  /** The number of `allOf` and the like since the last of them. */
  readonly nesting: number;
  /** The least depth at which each schema was searched without a result. */
  readonly seen: Map<unknown, number>;
}

/**
 * Whether the schema is a list, or has a list of objects as a member, or as a member of one that only holds it. Each
 * schema is searched once for each depth: parts may contain each other.
 */
async function isList(document: OpenApiDocument, located: Located, place: SchemaPlace): Promise<boolean> {
  const { value, base } = await document.resolve(located);
  const { depth, nesting, seen } = place;
  if ((seen.get(value) ?? Number.POSITIVE_INFINITY) <= depth) return false;
  seen.set(value, depth);
  const type = memberOf(value, 'type');
  const isArray = type === 'array' || (Array.isArray(type) && type.includes('array'));
  if (isArray) return depth === 0 || hasObjects(memberOf(value, 'items'));
  const parts = ['allOf', 'oneOf', 'anyOf'].flatMap((name) => listOf(value, name));
  for (const part of nesting < mostNested ? parts : []) {
    if (await isList(document, { value: part, base }, { depth, nesting: nesting + 1, seen })) return true;
  }
  for (const [name, member] of depth > deepest ? [] : entriesOf(value, 'properties')) {
    const next = wrappers.test(name) ? depth + 1 : deepest + 1;
    if (await isList(document, { value: member, base }, { depth: next, nesting: 0, seen })) return true;
  }
  return false;
}

/** Members of members may hold the list. */
const deepest = 1;

/** Schemas made of parts may contain themselves. */
const mostNested = 4;

const hasObjects = (items: unknown): boolean =>
  ['$ref', 'properties', 'allOf', 'oneOf', 'anyOf'].some((name) => memberOf(items, name) !== undefined) ||
  textOf(items, 'type') === 'object';
