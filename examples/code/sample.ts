/** What the examples pull: the API of ../sample-api.mjs, which `node examples/code/try.mjs NAME` starts. */
import type { ApiSection, Configuration } from 'rxtract';

const api: ApiSection = {
  baseUrl: process.env.SAMPLE_API ?? 'http://localhost:8080/',
  authentication: {
    type: 'login',
    loginRequest: { endpoint: 'login', method: 'POST', params: { user: 'ada', password: { attr: '#password' } } },
    apiRequest: { headers: { Authorization: { function: 'concat', args: ['Bearer ', { response: 'token' }] } } },
    expires: { response: 'expires_in', relative: true },
  },
};

/** 47 users in pages of 20. */
export const users: Configuration = {
  api: { ...api, pagination: { method: 'pagenum', limit: 20 } },
  config: { '#password': 'correct horse', jobs: [{ endpoint: 'users' }] },
};

const kinds = [
  { kind: 'order', dataType: 'orders' },
  { kind: 'visit', dataType: 'visits' },
];

/** 120 orders and 75 visits, 50 a page, by cursor. */
export const events: Configuration = {
  api: {
    ...api,
    pagination: { method: 'response.param', responseParam: 'paging.next', queryParam: 'cursor', includeParams: true },
  },
  config: {
    '#password': 'correct horse',
    jobs: kinds.map(({ kind, dataType }) => ({ endpoint: 'events', params: { kind }, dataField: 'events', dataType })),
  },
};

export interface User {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
}

export interface Event {
  readonly id: string;
  readonly kind: 'order' | 'visit';
  readonly amount: number;
}
