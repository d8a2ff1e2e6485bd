/** Evaluates what a type adds to each request, and masks the results. */
import type { ExactObject } from '../core/json/exact.js';
import type { FieldReference } from '../core/model/field-reference.js';
import type { HttpRequest } from '../core/model/request.js';
import type { Secrets } from '../core/model/secrets.js';
import { addHeaderSecrets, addTexts } from '../core/secrets/known-secrets.js';
import { replaceHeaders } from '../core/url/headers.js';
import { mergeQuery } from '../core/url/query-string.js';
import { type ExpressionContext, evaluateMap, headersFrom } from '../language/expression/expression.js';
import type { ReferenceResolver as Lookup } from '../language/expression/reference.js';
import { requestReferences } from './request-reference.js';

/** Maps of expressions over `request`, `query` and further references of the type. */
export interface RequestAdditions {
  readonly headers: ExactObject;
  readonly query: ExactObject;
}

const place = 'api.authentication';

/**
 * Adds headers and query parameters, which replace others of the same name; none sees what another adds. Their texts
 * are added as passing secrets. Throws ERR_FUNCTION with the path in the configuration.
 */
export function addToRequest(
  request: HttpRequest,
  { headers, query }: RequestAdditions,
  others: ReadonlyMap<FieldReference, Lookup>,
  secrets: Secrets,
): HttpRequest {
  const { references, texts } = requestReferences(request, secrets);
  const passing: Secrets = {
    ...secrets,
    add(value) {
      if (!texts.has(value)) secrets.add(value, 'passing');
    },
  };
  const context: ExpressionContext = { references: new Map([...references, ...others]), secrets: passing };
  const addedHeaders = headersFrom(evaluateMap(headers, context, `${place}.headers`), `${place}.headers`);
  const addedQuery = evaluateMap(query, context, `${place}.query`);
  addHeaderSecrets(addedHeaders, passing);
  addTexts([...addedQuery.values()], passing);
  return {
    ...request,
    headers: replaceHeaders(request.headers, addedHeaders),
    url: mergeQuery(request.url, addedQuery),
  };
}
