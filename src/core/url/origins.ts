import type { Notify } from '../model/notice.js';
import { isHttpUrl, originOf, resolveUrl } from './url.js';

/** Where credentials come from in a configuration. */
export interface ConfiguredOrigins {
  readonly baseUrl: string;
  /**
   * Endpoints as written: of jobs and their children, login and scroll requests. Those without an origin of their own
   * add none.
   */
  readonly endpoints: readonly string[];
  /** `api.http.credentialOrigins`: addresses whose origins are trusted too. */
  readonly credentialOrigins?: readonly string[];
}

export interface Origins {
  /** Whether a request to this absolute address may carry what the configuration says. */
  trusts(url: string): boolean;
  /** Says once for each origin that requests to it go out bare. */
  warn(url: string): void;
}

/** How many origins are told apart in warnings; a run whose rows name addresses could meet any number. */
const warnedOrigins = 100;

/**
 * Gathers the trusted origins. Throws ERR_REQUEST when `baseUrl` or one of `credentialOrigins` is no http or https
 * address.
 */
export function createOrigins(configured: ConfiguredOrigins, notify: Notify): Origins {
  const { baseUrl, endpoints, credentialOrigins = [] } = configured;
  const named = endpoints.filter((endpoint) => !isTemplate(endpoint)).map((endpoint) => absolute(baseUrl, endpoint));
  const trusted = new Set([baseUrl, ...credentialOrigins, ...named.filter(isHttpUrl)].map(originOf));
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

/** A placeholder within the authority: what it will lead to is not written in the configuration. */
const isTemplate = (endpoint: string): boolean => /^(?:[^:/?#]+:)?\/\/[^/?#]*\{/.test(endpoint);

function absolute(baseUrl: string, endpoint: string): string {
  try {
    return resolveUrl(baseUrl, endpoint);
  } catch {
    return ''; // It fails with its own message when it is requested.
  }
}
