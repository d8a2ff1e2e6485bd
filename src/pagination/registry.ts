/** The methods of `api.pagination` by name: one file and one line each. */
import { pagenum } from './pagenum.js';
import { responseParam } from './response-param.js';

export const scrollers = { pagenum, 'response.param': responseParam };

/** Methods that the language has and this version has not: refused by name. requests.md 5, decision 28. */
export const scrollersToCome: readonly string[] = [
  'offset',
  'response.url',
  'zendesk.response.url',
  'cursor',
  'multiple',
];
