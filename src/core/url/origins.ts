/** Decides which origins may get credentials: those in the configuration. */
import type { Notify } from '../model/notice.js';
import { isHttpUrl, originOf, resolveUrl } from './url.js';

/** The addresses in a configuration that decide which origins may get credentials. */
export interface ConfiguredOrigins {
  readonly baseUrl: string;
  /** Endpoints as written: of jobs and their children, login and scroll requests. Relative ones add no origin. */
  readonly endpoints: readonly string[];
  /** `api.http.credentialOrigins`: addresses whose origins are trusted too. */
  readonly credentialOrigins?: readonly string[];
}

export interface Origins {
  /** Whether a request to this absolute address may carry credentials and configured headers. */
  trusts(url: string): boolean;
  /** Warns once for each origin that requests to it carry no credentials. */
  warn(url: string): void;
}

/** Bounds memory: rows can name any number of origins. */
const warnedOrigins = 100;

/**
 * Collects the origins in the configuration. Throws ERR_REQUEST if `baseUrl` or one of `credentialOrigins` is no http
 * or https address.
 */
export function namedOrigins({ baseUrl, endpoints, credentialOrigins = [] }: ConfiguredOrigins): ReadonlySet<string> {
  const named = endpoints.filter((endpoint) => !isTemplate(endpoint)).map((endpoint) => absolute(baseUrl, endpoint));
  return new Set([baseUrl, ...credentialOrigins, ...named.filter(isHttpUrl)].map(originOf));
}

/** Creates the rules for credentials. Throws ERR_REQUEST like `namedOrigins`. */
export function createOrigins(configured: ConfiguredOrigins, notify: Notify): Origins {
  const trusted = namedOrigins(configured);
  const warned = new Set<string>();

  return {
    trusts: (url) => trusted.has(originOf(url)),
    warn(url) {
      const origin = originOf(url);
      if (warned.has(origin) || warned.size >= warnedOrigins) return;
      warned.add(origin);
      notify({
        level: 'warning',
        code: 'foreign-origin',
        message: `${origin} is not listed in the configuration: requests to it are sent without credentials, configured headers and default parameters. If it may receive them, list it in api.http.credentialOrigins`,
      });
    },
  };
}

/** A placeholder in the authority: the configuration does not say where it leads. */
const isTemplate = (endpoint: string): boolean => /^(?:[^:/?#]+:)?\/\/[^/?#]*\{/.test(endpoint);

function absolute(baseUrl: string, endpoint: string): string {
  try {
    return resolveUrl(baseUrl, endpoint);
  } catch {
    return ''; // The request will fail with its own message.
  }
}
