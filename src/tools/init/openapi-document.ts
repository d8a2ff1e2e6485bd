/** Reads an OpenAPI document in JSON or YAML, and follows its references, within its origin or folder only. */
import { fileURLToPath } from 'node:url';
import { usageError } from '../../core/util/check-value.js';
import { isRecord, memberOf, parseJson, textOf } from './json-value.js';
import type { ReadContext } from './read-context.js';
import { checkAliases, checkSize, checkYaml, isTooDeep, mostBytes, tooDeep } from './source-limits.js';

/** A value of a document, and the address of the document, against which its references are resolved. */
export interface Located {
  readonly value: unknown;
  readonly base: URL;
}

export interface OpenApiSource {
  readonly text: string;
  /** What messages call it. */
  readonly label: string;
  /** Of its file, or where it was fetched. */
  readonly location: URL;
}

export interface OpenApiDocument {
  readonly label: string;
  readonly root: Located;
  /** Follows `$ref` until there is none. Rejects with ERR_USAGE if it leads nowhere, or too far. */
  resolve(located: Located): Promise<Located>;
  /** The member below these names, each resolved. Its value is undefined if it is missing. */
  member(located: Located, ...path: readonly string[]): Promise<Located>;
}

/** References to references, and documents that a document may need. */
const mostSteps = 50;

/** Reads the document. Rejects with ERR_USAGE if it is none of OpenAPI 3. */
export async function readDocument(
  { text, label, location }: OpenApiSource,
  context: ReadContext,
): Promise<OpenApiDocument> {
  const root = { value: await parse(text, label), base: location };
  checkVersion(root.value, label);
  const documents = new Map([[withoutHash(location), Promise.resolve(root)]]);
  const load = (url: URL): Promise<Located> => {
    const known = documents.get(withoutHash(url));
    if (known !== undefined) return known;
    if (documents.size > mostSteps) throw usageError(`${label} refers to more than ${mostSteps} documents: ${bundle}`);
    const loaded = fetchText(url, context).then(async (found) => ({
      value: await parse(found, nameOf(url)),
      base: url,
    }));
    documents.set(withoutHash(url), loaded);
    return loaded;
  };
  const resolve = async (located: Located): Promise<Located> => {
    let found = located;
    for (let step = 0; step < mostSteps; step++) {
      const reference = textOf(found.value, '$ref');
      if (reference === undefined) return found;
      const target = targetOf(reference, found.base, { label, location });
      found = pointed(await load(target), target, { label, reference });
    }
    throw usageError(`${label} has references that lead to each other, at "$ref": "${textOf(found.value, '$ref')}"`);
  };
  const member = async (located: Located, ...path: readonly string[]): Promise<Located> => {
    let found = await resolve(located);
    for (const name of path) found = await resolve({ ...found, value: memberOf(found.value, name) });
    return found;
  };
  return { label, root, resolve, member };
}

const bundle = 'bundle it into one file first, for example with npx @redocly/cli bundle';

const withoutHash = (url: URL): string => url.href.replace(/#.*$/s, '');

const nameOf = (url: URL): string => decodeURIComponent(url.pathname.replace(/^.*\//, ''));

const fetchText = (url: URL, context: ReadContext): Promise<string> =>
  url.protocol === 'file:' ? context.readText(fileURLToPath(url)) : context.fetchText(new URL(withoutHash(url)));

async function parse(text: string, label: string): Promise<unknown> {
  checkSize(text.length, mostBytes.document, label);
  const value = parseJson(text) ?? (await parseYaml(text, label));
  if (isTooDeep(value)) throw tooDeep(label);
  return value;
}

async function parseYaml(text: string, label: string): Promise<unknown> {
  checkYaml(text, label);
  const { parseDocument, visit } = await import('yaml');
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'error' });
  const [error] = document.errors;
  const [first = ''] = error?.message.split('\n') ?? [];
  if (stackOverflow.test(first)) throw tooDeep(label);
  if (error !== undefined) throw usageError(`${label} is neither JSON nor YAML: ${first.replace(/:$/, '')}`);
  const count = { aliases: 0, values: 0 };
  visit(document, {
    Alias() {
      count.aliases += 1;
    },
    Value() {
      count.values += 1;
    },
  });
  checkAliases(count.aliases, count.values, label);
  try {
    return document.toJS({ maxAliasCount: 1000 });
  } catch {
    throw usageError(`${label} cannot be read: its aliases lead to each other, or grow without end`);
  }
}

/** The parser calls itself for each level, and reports so as an error of the text. */
const stackOverflow = /maximum call stack/i;

function checkVersion(value: unknown, label: string): void {
  const version = isRecord(value) ? String(value.openapi ?? '') : '';
  if (/^3(?:\.|$)/.test(version)) return;
  if (isRecord(value) && value.swagger !== undefined) {
    throw usageError(`${label} is a Swagger document: convert it to OpenAPI 3, for example with npx swagger2openapi`);
  }
  throw usageError(`${label} is no OpenAPI 3 document: it has no member "openapi" with a version such as 3.1.0`);
}

/** Throws ERR_USAGE if the reference leads out of the origin, or out of the folder of a file. */
function targetOf(reference: string, base: URL, { label, location }: Omit<OpenApiSource, 'text'>): URL {
  if (!URL.canParse(reference, base.href))
    throw usageError(`${label}: "$ref": "${reference}" is no address: fix the document`);
  const target = new URL(reference, base);
  const isNear = location.protocol === 'file:' ? isInFolder(target, location) : target.origin === location.origin;
  if (isNear) return target;
  const where = location.protocol === 'file:' && target.protocol === 'file:' ? 'folder' : 'origin';
  throw usageError(`${label}: "$ref": "${reference}" leads to another ${where}, which init never reads: ${bundle}`);
}

const isInFolder = (target: URL, location: URL): boolean =>
  target.protocol === 'file:' &&
  target.host === location.host &&
  !/%(?:2f|5c)/i.test(target.pathname) &&
  target.pathname.startsWith(location.pathname.replace(/[^/]*$/, ''));

/** The value at the JSON pointer of a fragment. RFC 6901 6. */
function pointed(
  document: Located,
  { hash }: URL,
  { label, reference }: { readonly label: string; readonly reference: string },
): Located {
  const steps = decodeURIComponent(hash.replace(/^#/, '')).split('/');
  const [first, ...names] = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const found = first === '' ? names.reduce<unknown>(stepInto, document.value) : undefined;
  if (found === undefined) throw usageError(`${label}: "$ref": "${reference}" leads nowhere: fix the document`);
  return { value: found, base: document.base };
}

const stepInto = (value: unknown, name: string): unknown =>
  Array.isArray(value) ? value[Number(name)] : memberOf(value, name);
