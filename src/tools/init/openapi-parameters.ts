/** The parameters of an operation: their places in the request, and what their names say about pagination. */
import { formEncode, rawEncode } from '../../core/url/percent.js';
import type { FoundRequest, PagingHints } from './found-request.js';
import { isRecord, listOf, memberOf, textOf } from './json-value.js';
import { hasRole, isSinceName, type PagingRole, pagingRoles } from './known-names.js';
import type { Located, OpenApiDocument } from './openapi-document.js';
import type { Operation } from './openapi-operations.js';
import { exampleOf, type ValueSources, valueFor } from './openapi-values.js';

export interface Parameter {
  readonly name: string;
  readonly place: 'path' | 'query' | 'header' | 'cookie';
  readonly described: Located;
}

/** What parameters add to a request. */
export interface ParameterValues {
  /** With its values in place of `{NAME}`. */
  readonly path: string;
  /** `name=value`, encoded. */
  readonly query: readonly string[];
  readonly headers: FoundRequest['headers'];
  /** Parameters of the path whose value is an example of the document. */
  readonly examples: readonly string[];
}

/**
 * The parameters of the operation; they replace those of its path with the same name and place. Names in the path that
 * no parameter describes are parameters too.
 */
export async function listParameters(
  document: OpenApiDocument,
  { operation, item, path }: Operation,
): Promise<readonly Parameter[]> {
  const found = new Map<string, Parameter>();
  for (const owner of [item, operation]) {
    for (const value of listOf(owner.value, 'parameters')) {
      const described = await document.resolve({ value, base: owner.base });
      const [name, place] = [textOf(described.value, 'name'), textOf(described.value, 'in')];
      if (name === undefined || (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie'))
        continue;
      found.set(`${place} ${name}`, { name, place, described });
    }
  }
  for (const [, name = ''] of path.matchAll(/\{([^{}]+)\}/g)) {
    const key = `path ${name}`;
    if (!found.has(key)) found.set(key, { name, place: 'path', described: { value: {}, base: operation.base } });
  }
  return [...found.values()];
}

/** Headers that a document cannot describe as parameters. OpenAPI 3.1.1, 4.8.12. */
const ofOthers = /^(?:accept|authorization|content-type)$/i;

/** Finds values of the required parameters, and of those that are given. */
export async function valuesOf(
  path: string,
  parameters: readonly Parameter[],
  sources: ValueSources,
): Promise<ParameterValues> {
  const result = { query: [] as string[], headers: [] as [string, string][], examples: [] as string[] };
  const cookies: string[] = [];
  const ofPath = new Map<string, string>();
  for (const parameter of parameters) {
    const { name, place, described } = parameter;
    const given = sources.given.take(name);
    const isRequired = place === 'path' || memberOf(described.value, 'required') === true;
    if ((given === undefined && !isRequired) || (place === 'header' && ofOthers.test(name))) continue;
    const value = await valueFor(name, described, sources);
    if (value === undefined) continue;
    if (place === 'path') {
      ofPath.set(name, rawEncode(plainText(value)));
      if (given === undefined && (await exampleOf(sources.document, described)) === value) result.examples.push(name);
    } else if (place === 'query') result.query.push(...queryOf(parameter, value));
    else if (place === 'header') result.headers.push([name, plainText(value)]);
    else cookies.push(`${name}=${plainText(value)}`);
  }
  if (cookies.length > 0) result.headers.push(['Cookie', cookies.join('; ')]);
  const filled = path.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => ofPath.get(name) ?? whole);
  return { ...result, path: filled };
}

/** As `style` and `explode` of the parameter say. OpenAPI 3.1.1, 4.8.12.3. */
function queryOf({ name, described }: Parameter, value: unknown): readonly string[] {
  const pair = (key: string, text: unknown) => `${formEncode(key)}=${formEncode(plainText(text))}`;
  if (memberOf(described.value, 'content') !== undefined)
    return [pair(name, isText(value) ? value : JSON.stringify(value))];
  const style = textOf(described.value, 'style') ?? 'form';
  const isExploded = (memberOf(described.value, 'explode') ?? style === 'form') !== false;
  if (Array.isArray(value))
    return isExploded ? value.map((each) => pair(name, each)) : [pair(name, value.map(plainText).join(','))];
  if (!isRecord(value)) return [pair(name, value)];
  if (style === 'deepObject') return Object.entries(value).map(([key, each]) => pair(`${name}[${key}]`, each));
  if (isExploded) return Object.entries(value).map(([key, each]) => pair(key, each));
  return [pair(name, Object.entries(value).flat().map(plainText).join(','))];
}

const isText = (value: unknown): value is string => typeof value === 'string';

function plainText(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainText).join(',');
  return isRecord(value) ? JSON.stringify(value) : String(value);
}

/** What the names of query parameters say about pagination, and about what is new. Undefined: nothing. */
export async function pagingHints(
  document: OpenApiDocument,
  parameters: readonly Parameter[],
): Promise<PagingHints | undefined> {
  const ofQuery = parameters.filter(({ place }) => place === 'query');
  const named = (role: PagingRole) => ofQuery.filter(({ name }) => hasRole(name, role));
  const names = (role: PagingRole) => named(role).map(({ name }) => name);
  const [limit] = named('limit');
  const maximum = limit === undefined ? undefined : (await document.member(limit.described, 'schema', 'maximum')).value;
  const since = ofQuery.map(({ name }) => name).filter(isSinceName);
  const hints = {
    ...(since.length > 0 ? { since } : {}),
    ...Object.fromEntries(
      pagingRoles.map((role) => [role, names(role)] as const).filter(([, found]) => found.length > 0),
    ),
    ...(typeof maximum === 'number' && maximum > 0 ? { maximum } : {}),
  };
  return Object.keys(hints).length === 0 ? undefined : hints;
}
