/** Whether a request skips the first items: a total counts them too. */
import { type Exact, type ExactObject, emptyObject, isNumber, isObject } from '../../core/json/exact.js';
import type { PageRequest } from '../../core/model/request.js';
import { queryParams } from '../next-link.js';

const offsets = /^\$?(?:offset|skip|start|start_?at|start_?index|from|first_?result|first_?row)$/i;
const pages = /^(?:page|p|page_?(?:no|num|number|index))$/i;
const cursors = /^(?:cursor|after|starting_?after|page_?token|next_?token|since_?id|scroll_?id)$/i;

/** Checks the usual names in the parameters, in GraphQL variables and in the query of the endpoint. */
export function beginsBehind({ endpoint, params }: Pick<PageRequest, 'endpoint' | 'params'>): boolean {
  const [, query = ''] = endpoint.split('?');
  return [...queryParams(query), ...params, ...variablesIn(params)].some(([name, value]) =>
    isBehind(name, textOf(value)),
  );
}

function variablesIn(params: ExactObject): ExactObject {
  const variables = params.get('variables');
  return isObject(variables) ? variables : emptyObject;
}

function isBehind(name: string, text: string): boolean {
  if (cursors.test(name)) return text !== '';
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  return offsets.test(name) ? number > 0 : pages.test(name) && number > 1;
}

const textOf = (value: Exact): string => (typeof value === 'string' || isNumber(value) ? String(value) : '');
