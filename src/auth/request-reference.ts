/**
 * What the references `request` and `query` read: a request as it is before its authentication.
 * docs/01-configuration.md#expressions.
 */
import { type Exact, ExactNumber, type ExactObject } from '../core/json/exact.js';
import type { HttpRequest } from '../core/model/request.js';
import type { Secrets } from '../core/model/secrets.js';
import { queryEntries } from '../core/url/query.js';
import { splitQuery, splitUrl } from '../core/url/url.js';
import { type ReferenceResolver as Lookup, leafReference, lookUp } from '../language/expression/reference.js';
import type { FieldReference } from '../language/types.js';

/** The keys of `request`; which texts they hold is known request by request. */
export const requestRoot: ExactObject = new Map(
  ['url', 'path', 'queryString', 'method', 'hostname', 'port', 'resource'].map((key) => [key, '']),
);

/**
 * The references of one request, and the texts that they show: parts of an address, and no secrets for being referred
 * to.
 */
export interface RequestReferences {
  readonly references: ReadonlyMap<FieldReference, Lookup>;
  readonly texts: ReadonlySet<string>;
}

/**
 * Looks into a request. What holds a secret of the configuration is a secret, and so is what is computed from it. A
 * reference throws ERR_FUNCTION with the nearest key where there is no value.
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

/** `method` is that on the wire; `port` is 80 or 443 where the address has none; an address in brackets keeps them. */
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
 * Names and values decoded, brackets part of the name; the values of a repeated name are a list. One without `=` is
 * empty.
 */
function parametersOf(url: string): ExactObject {
  const values = new Map<string, readonly string[]>();
  for (const { name, value = '' } of queryEntries(url)) values.set(name, [...(values.get(name) ?? []), value]);
  return new Map([...values].map(([name, each]) => [name, each.length === 1 ? (each[0] ?? '') : each]));
}
