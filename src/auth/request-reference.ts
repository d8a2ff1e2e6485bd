/**
 * The references `request` and `query`: they read a request before its authentication.
 * docs/01-configuration.md#expressions.
 */

import { type Exact, ExactNumber, type ExactObject } from '../core/json/exact.js';
import type { FieldReference } from '../core/model/field-reference.js';
import type { HttpRequest } from '../core/model/request.js';
import type { Secrets } from '../core/model/secrets.js';
import { queryEntries } from '../core/url/query-string.js';
import { splitQuery, splitUrl } from '../core/url/url.js';
import { elementAt } from '../core/util/element-at.js';
import { type ReferenceResolver as Lookup, leafReference, lookUp } from '../language/expression/reference.js';

/** The keys of `request`. Their texts are known for each request only. */
export const requestRoot: ExactObject = new Map(
  ['url', 'path', 'queryString', 'method', 'hostname', 'port', 'resource'].map((key) => [key, '']),
);

/**
 * The references of one request, and the texts they read: parts of an address, which are not secret because they are
 * referred to.
 */
export interface RequestReferences {
  readonly references: ReadonlyMap<FieldReference, Lookup>;
  readonly texts: ReadonlySet<string>;
}

/**
 * Creates the references of a request. A value that contains a secret of the configuration is secret, and so is
 * everything computed from it. A reference throws ERR_FUNCTION with the nearest key if there is no value.
 */
export function requestReferences(
  request: HttpRequest,
  secrets: Pick<Secrets, 'isSecret' | 'mask'>,
): RequestReferences {
  const roots: readonly (readonly [FieldReference, ExactObject])[] = [
    ['request', partsOf(request)],
    ['query', parametersOf(request.url)],
  ];
  const isSecret = (text: string) => secrets.isSecret(text) || secrets.mask(text) !== text;
  const references = roots.map(([name, root]) => {
    const plain = leafReference(root, name, () => false);
    const reference: Lookup = (key) => {
      const { value } = lookUp(name, key, plain);
      return { value, secret: isSecret(String(value)) };
    };
    return [name, reference] as const;
  });
  const texts = roots.flatMap(([, root]) => [...root.values()].flat().map(String));
  return { references: new Map(references), texts: new Set(texts) };
}

/** `method` is the HTTP method; `port` is 80 or 443 by default; an IPv6 host keeps its brackets. */
function partsOf({ method, url }: HttpRequest): ExactObject {
  const { origin, target } = splitUrl(url);
  const { address, query = '' } = splitQuery(target);
  const [, scheme, hostname = '', port] = /^(https?):\/\/(.*?)(?::(\d+))?$/.exec(origin) ?? [];
  return new Map<string, Exact>([
    ['url', url],
    ['path', address],
    ['queryString', query],
    ['method', method],
    ['hostname', hostname],
    ['port', new ExactNumber(port ?? (scheme === 'https' ? '443' : '80'))],
    ['resource', target],
  ]);
}

/**
 * Decoded names and values; brackets are part of a name. The values of a repeated name are a list; a name without `=`
 * has an empty value.
 */
function parametersOf(url: string): ExactObject {
  const values = new Map<string, readonly string[]>();
  for (const { name, value = '' } of queryEntries(url)) values.set(name, [...(values.get(name) ?? []), value]);
  return new Map([...values].map(([name, each]) => [name, each.length === 1 ? elementAt(each, 0) : each]));
}
