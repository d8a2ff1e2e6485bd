/** The methods of `api.pagination` by name: one file and one line each. */
import { pagenum } from './pagenum.js';
import { responseParam } from './response-param.js';

export const scrollers = { pagenum, 'response.param': responseParam };
