/** Counts the requests of a page: what its receipt says it has cost. */
import type { RequestCost } from '../../core/model/job-stats.js';
import type { ApiClient } from '../../http/api-client.js';
import type { RequestContext } from '../../http/request-context.js';

/** Counts the cost of the current page. */
export class RequestAccount {
  retries = 0;
  /** The last attempt. */
  sender: RequestContext | undefined;
  #requests = 0;
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  add(requests: number): void {
    this.#requests += requests;
  }

  hasSpent(): boolean {
    this.#requests += this.#client.takeLogins();
    return this.#requests > 0 || this.retries > 0;
  }

  /** Returns the cost so far, and resets it. */
  spend(): RequestCost {
    const spent = { requests: this.#requests + this.#client.takeLogins(), retries: this.retries };
    this.#requests = 0;
    this.retries = 0;
    return spent;
  }
}
