/**
 * Checks every address in the configuration against its allowed hosts before the first request.
 * docs/01-configuration.md#allowed-hosts, stricter.
 */

import { type Config, type JobConfig, pagingEndpoints, withChildren } from '../config/config.js';
import { configError } from '../core/errors/collect-errors.js';
import type { Secrets } from '../core/model/secrets.js';
import { shortenAddress } from '../core/secrets/secrets.js';
import { mayBeAllowed } from '../core/url/allowed-hosts.js';
import { bareAddress, resolveUrl } from '../core/url/url.js';

export interface CheckHosts {
  readonly config: Pick<Config, 'allowedHosts' | 'jobs' | 'paginator'>;
  /** Already evaluated. */
  readonly baseUrl: string;
  /** Endpoints of login requests. */
  readonly logins: readonly string[];
  readonly secrets: Pick<Secrets, 'mask'>;
}

/**
 * Throws ERR_CONFIG with every address that is not listed. Addresses are shown without user information and query,
 * secrets masked.
 */
export function checkHosts({ config, baseUrl, logins, secrets }: CheckHosts): void {
  const { allowedHosts, jobs } = config;
  const list = 'image_parameters.allowed_hosts';
  const unlisted = (endpoint: string) => !mayBeAllowed(allowedHosts, baseUrl, endpoint);
  const shown = (endpoint: string) => shortenAddress(secrets.mask(bareAddress(resolveUrl(baseUrl, endpoint))));
  const ofJobs = withChildren<JobConfig>(jobs)
    .filter(({ endpoint }) => unlisted(endpoint))
    .map(({ path, endpoint }) => ({
      path: `${path}.endpoint`,
      message: `leads to ${shown(endpoint)}, which ${list} does not list`,
    }));
  const others = [
    ...logins.map((endpoint) => ({ endpoint, who: 'the login' })),
    ...pagingEndpoints(config).map((endpoint) => ({ endpoint, who: 'the pagination' })),
  ]
    .filter(({ endpoint }) => unlisted(endpoint))
    .map(({ endpoint, who }) => ({ path: list, message: `does not list ${shown(endpoint)}, where ${who} leads` }));
  const problems = [...ofJobs, ...others];
  if (problems.length > 0) throw configError(problems);
}
