/** Values for what an operation of an OpenAPI document needs: given, from the document, or asked. */
import { usageError } from '../../core/util/check-value.js';
import { didYouMean } from '../../core/util/suggest.js';
import { entriesOf, isRecord, listOf, memberOf } from './json-value.js';
import type { Located, OpenApiDocument } from './openapi-document.js';
import type { ReadContext } from './read-context.js';

/** The values of `--param`. */
export interface GivenValues {
  /** The value of `--param`; it then counts as used. */
  take(name: string): string | undefined;
  /** Notes that a value is missing; `check` reports all of them. */
  miss(name: string): void;
  /** Throws ERR_USAGE if a value is missing, or was given to no purpose. */
  check(what: string): void;
}

/** Reads `--param NAME=VALUE`. Throws ERR_USAGE. */
export function readGiven(params: readonly string[]): GivenValues {
  const given = new Map(
    params.map((each) => {
      const at = each.indexOf('=');
      if (at <= 0) throw usageError('--param needs a name and a value: --param NAME=VALUE');
      return [each.slice(0, at), each.slice(at + 1)] as const;
    }),
  );
  const [known, missing] = [new Set<string>(), new Set<string>()];
  return {
    take(name) {
      known.add(name);
      return given.get(name);
    },
    miss: (name) => missing.add(name),
    check(what) {
      const [unknown] = [...given.keys()].filter((name) => !known.has(name));
      if (unknown !== undefined) {
        throw usageError(`${what} has no parameter "${unknown}"${didYouMean(unknown, known) || listOfNames(known)}`);
      }
      if (missing.size === 0) return;
      const options = [...missing].map((name) => `--param ${name}=VALUE`).join(' ');
      throw usageError(`${what} needs values that the document does not have: add ${options}`);
    },
  };
}

const listOfNames = (names: ReadonlySet<string>): string =>
  names.size === 0 ? ': it has none' : `: it has ${[...names].map((name) => `"${name}"`).join(', ')}`;

/**
 * Returns the value for a parameter or a member: given, or an example or a default of the document, or the answer to a
 * question. Undefined: there is none, which `given` reports.
 */
export async function valueFor(
  name: string,
  described: Located,
  { document, given, context }: ValueSources,
): Promise<unknown> {
  const own = given.take(name) ?? (await exampleOf(document, described));
  if (own !== undefined) return own;
  const answer = await context.ask(`A value for ${name}`);
  if (answer === undefined || answer === '') given.miss(name);
  return answer === '' ? undefined : answer;
}

export interface ValueSources {
  readonly document: OpenApiDocument;
  readonly given: GivenValues;
  readonly context: ReadContext;
}

/** The example or default of a parameter, of a content, or of their schema. */
export async function exampleOf(document: OpenApiDocument, described: Located): Promise<unknown> {
  const { value } = await document.resolve(described);
  const [example] = await Promise.all(
    entriesOf(value, 'examples').map(([name]) => document.member(described, 'examples', name, 'value')),
  );
  const ofItself = memberOf(value, 'example') ?? example?.value;
  if (ofItself !== undefined) return ofItself;
  const schema = (await document.member(described, 'schema')).value ?? value;
  const [first] = listOf(schema, 'examples');
  const [choice] = listOf(schema, 'enum');
  const found = ['default', 'example', 'const']
    .map((name) => memberOf(schema, name))
    .find((each) => each !== undefined);
  return found ?? first ?? choice;
}

/** Of a body that is made up: objects in objects, and members. A schema that requires itself has no end. */
const [deepestBody, mostMembers] = [8, 200];

/**
 * A body made of the required members of a schema. Undefined: one of them has no value. Rejects with ERR_USAGE for a
 * schema that requires more than it can have.
 */
export async function bodyFor(
  schema: Located,
  sources: ValueSources,
  made = { members: 0 },
  depth = 0,
): Promise<unknown> {
  const { value, base } = await sources.document.resolve(schema);
  const required = new Set(listOf(value, 'required'));
  const entries = await Promise.all(
    entriesOf(value, 'properties').map(async ([name, described]): Promise<readonly (readonly [string, unknown])[]> => {
      const given = sources.given.take(name);
      if (given === undefined && !required.has(name)) return [];
      const member = await sources.document.resolve({ value: described, base });
      if (given !== undefined) return [[name, typed(given, memberOf(member.value, 'type'))]];
      made.members += 1;
      const isObject = isRecord(memberOf(member.value, 'properties')) && depth < deepestBody;
      if (made.members > mostMembers) throw usageError(tooManyMembers);
      const found =
        (await exampleOf(sources.document, member)) ??
        (isObject ? await bodyFor(member, sources, made, depth + 1) : undefined);
      if (found === undefined) sources.given.miss(name);
      return [[name, found]];
    }),
  );
  return Object.fromEntries(entries.flat());
}

const tooManyMembers = `the body of the operation requires more than ${mostMembers} members, or itself: the document needs an example of it`;

/** A text of the command line as a value of that type. */
function typed(text: string, type: unknown): unknown {
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(?:\.\d+)?$/.test(text)) return Number(text);
  return type === 'boolean' && /^(?:true|false)$/.test(text) ? text === 'true' : text;
}
