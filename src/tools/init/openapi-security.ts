/** The credentials that an operation of an OpenAPI document needs, from the environment or asked. */
import { usageError } from '../../core/util/check-value.js';
import { withCommands } from '../../core/util/missing-variable.js';
import { isRecord, memberOf, textOf } from './json-value.js';
import type { Located, OpenApiDocument } from './openapi-document.js';
import type { ReadContext } from './read-context.js';
import { variableOfOthers } from './variable-names.js';

/** What credentials add to a request. */
export interface OperationCredentials {
  readonly headers: readonly (readonly [string, string])[];
  readonly query: readonly (readonly [string, string])[];
  readonly user?: { readonly name: string; readonly password: string };
  /** The name of the variable of each value. */
  readonly names: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

/** One scheme: where its value goes, and the variables that it may come from, the usual one last. */
interface Scheme {
  readonly name: string;
  readonly kind: 'bearer' | 'basic' | 'header' | 'query' | 'cookie';
  /** Of a header, a parameter or a cookie. */
  readonly field: string;
  readonly isOAuth: boolean;
}

const nothing: OperationCredentials = { headers: [], query: [], names: new Map(), notes: [] };

/**
 * Finds the credentials of the first alternative that the environment has, or else of the first one that a request can
 * carry. Rejects with ERR_USAGE, naming the variables to set.
 */
export async function credentialsOf(
  document: OpenApiDocument,
  operation: Located,
  context: ReadContext,
): Promise<OperationCredentials> {
  const alternatives = memberOf(operation.value, 'security') ?? memberOf(document.root.value, 'security');
  if (!Array.isArray(alternatives) || alternatives.length === 0) return nothing;
  const read = await Promise.all(alternatives.map((each) => schemesOf(document, each)));
  const usable = read.filter((each) => each !== undefined);
  if (usable.length === 0) throw usageError(unsupported);
  const ready = usable.find((each) => each.length > 0 && each.every((scheme) => isSet(scheme, context)));
  const chosen = ready ?? (usable.some((each) => each.length === 0) ? [] : usable[0]);
  let found = nothing;
  for (const scheme of chosen ?? []) found = merged(found, await readScheme(scheme, context));
  return found;
}

const unsupported =
  'the operation needs a login that init cannot prove: run init with the URL alone, and see `rxtract help authentication`';

/** Undefined: a request cannot carry one of them. */
async function schemesOf(document: OpenApiDocument, alternative: unknown): Promise<readonly Scheme[] | undefined> {
  if (!isRecord(alternative)) return undefined;
  const found = await Promise.all(
    Object.keys(alternative).map(async (name) =>
      schemeOf(name, (await document.member(document.root, 'components', 'securitySchemes', name)).value),
    ),
  );
  const known = found.filter((each) => each !== undefined);
  return known.length === found.length ? known : undefined;
}

function schemeOf(name: string, value: unknown): Scheme | undefined {
  const [type, place, field = ''] = [textOf(value, 'type'), textOf(value, 'in'), textOf(value, 'name')];
  const scheme = textOf(value, 'scheme')?.toLowerCase();
  if (type === 'apiKey' && (place === 'header' || place === 'query' || place === 'cookie')) {
    return { name, kind: place, field, isOAuth: false };
  }
  if (type === 'http' && (scheme === 'bearer' || scheme === 'basic'))
    return { name, kind: scheme, field, isOAuth: false };
  const isOAuth = type === 'oauth2' || type === 'openIdConnect';
  return isOAuth ? { name, kind: 'bearer', field, isOAuth } : undefined;
}

/** The variables of a scheme: each value may come from the first of its list that is set. */
function variablesOf({ name, kind, field }: Scheme): readonly (readonly string[])[] {
  if (kind === 'basic') return [['API_USER'], ['API_PASSWORD']];
  if (kind === 'cookie') return [['COOKIE']];
  return [kind === 'bearer' ? [variableOfOthers(name), 'API_TOKEN'] : [variableOfOthers(field)]];
}

const isSet = (scheme: Scheme, { env }: ReadContext): boolean =>
  variablesOf(scheme).every((names) => names.some((name) => env[name] !== undefined));

async function readScheme(scheme: Scheme, context: ReadContext): Promise<OperationCredentials> {
  const names = new Map<string, string>();
  const values: string[] = [];
  for (const candidates of variablesOf(scheme)) {
    const found = candidates.find((each) => context.env[each] !== undefined);
    const name = found ?? candidates.at(-1) ?? 'API_TOKEN';
    const value = context.env[name] ?? (await context.ask(`${name}, for ${scheme.name}`, { secret: true }));
    if (value === undefined || value === '') throw missing(scheme);
    names.set(value, name);
    values.push(value);
  }
  const [value = '', password = ''] = values;
  const notes = scheme.isOAuth ? [ofOAuth] : [];
  return { ...placed(scheme, value, password), names, notes };
}

const ofOAuth =
  'The operation uses OAuth: the configuration sends an access token, and rxtract can obtain one itself (`rxtract help authentication`).';

function missing(scheme: Scheme) {
  const value = scheme.kind === 'cookie' && /^[\w.-]+$/.test(scheme.field) ? `${scheme.field}=...` : '...';
  const commands = withCommands(variablesOf(scheme).map((candidates) => [candidates.at(-1) ?? '', value]));
  return usageError(`the operation needs credentials (${scheme.name} of the document)${commands}`);
}

function placed(
  { kind, field }: Scheme,
  value: string,
  password: string,
): Omit<OperationCredentials, 'names' | 'notes'> {
  if (kind === 'basic') return { headers: [], query: [], user: { name: value, password } };
  if (kind === 'query') return { headers: [], query: [[field, value]] };
  if (kind === 'header') return { headers: [[field, value]], query: [] };
  return { headers: [kind === 'cookie' ? ['Cookie', value] : ['Authorization', `Bearer ${value}`]], query: [] };
}

const merged = (one: OperationCredentials, other: OperationCredentials): OperationCredentials => ({
  headers: [...one.headers, ...other.headers],
  query: [...one.query, ...other.query],
  names: new Map([...one.names, ...other.names]),
  notes: [...new Set([...one.notes, ...other.notes])],
  ...(other.user === undefined ? (one.user === undefined ? {} : { user: one.user }) : { user: other.user }),
});
