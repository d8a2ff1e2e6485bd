/** The first request of an API: from a URL, a curl command, an OpenAPI document or a HAR file. */

/** A request that can be sent. It has real values; `secrets` lists those that no file may have. */
export interface FoundRequest {
  readonly method: 'GET' | 'POST';
  /** With its query and user information. */
  readonly url: URL;
  /** In their order; a name may come twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: FoundBody;
  readonly secrets: readonly SecretPlace[];
  /** What messages call it, such as `the curl command` or `openapi.yaml, operation listUsers`. */
  readonly source: string;
  /** A name for the job, such as the name of an operation. Absent: the last word of the path. */
  readonly name?: string;
  /** What a document says about pagination. The prober tries it first, and believes nothing that it has not seen. */
  readonly hints?: PagingHints;
  /** What the source has and the request has not, a sentence each: `-k was left out: ...`. */
  readonly notes?: readonly string[];
}

/** A body: JSON text, or a form as `a=1&b=2`. */
export interface FoundBody {
  readonly kind: 'json' | 'form';
  readonly text: string;
}

/**
 * A place whose value may be a secret. The configuration has `{"env": NAME}` there. `prefix` is the
 * beginning of the value that is no secret, such as `Bearer `.
 */
export type SecretPlace = (
  | { readonly in: 'header' | 'query' | 'form'; readonly index: number }
  | { readonly in: 'json'; readonly path: readonly (string | number)[] }
  | { readonly in: 'path'; readonly index: number }
  | { readonly in: 'user' | 'password' }
) & { readonly env: string; readonly prefix?: string };

/** Parameters by their role, each with several possible names, the likeliest first. */
export interface PagingHints {
  readonly page?: readonly string[];
  readonly offset?: readonly string[];
  readonly limit?: readonly string[];
  readonly cursor?: readonly string[];
  /** Leave out what is older than a time, or below a number. */
  readonly since?: readonly string[];
  /** The largest page size that the document allows. */
  readonly maximum?: number;
}
