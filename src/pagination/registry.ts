/**
 * The methods of `api.pagination` by name, and the stopping conditions that work with any of them: one file and one
 * line each.
 */
import { cursor } from './cursor.js';
import { forceStop } from './force-stop.js';
import { keyset } from './keyset.js';
import { limitStop } from './limit-stop.js';
import { linkHeader } from './link-header.js';
import { multiple } from './multiple.js';
import { nextPageFlag } from './next-page-flag.js';
import { none } from './none.js';
import { offset } from './offset.js';
import { pagenum } from './pagenum.js';
import { responseHeader } from './response-header.js';
import { responseParam } from './response-param.js';
import { responseUrl } from './response-url.js';
import { zendeskResponseUrl } from './zendesk-response-url.js';

export const paginators = {
  offset,
  pagenum,
  'response.param': responseParam,
  'response.url': responseUrl,
  'zendesk.response.url': zendeskResponseUrl,
  'link-header': linkHeader,
  'response.header': responseHeader,
  cursor,
  keyset,
  multiple,
  none,
};

/** Members of `api.pagination` besides the method, in the order of evaluation. */
export const stopRules = { limitStop, forceStop, nextPageFlag };
