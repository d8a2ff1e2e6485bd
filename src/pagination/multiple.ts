/** Several scrollers by name, of which each job chooses one. docs/08-pagination.md#multiple. */
import { define } from 'superstruct';
import { type ExactObject, isObject } from '../core/json/exact.js';
import { didYouMean } from '../core/util/suggest.js';
import type { Component } from '../language/component.js';
import { text } from '../language/fields.js';
import { withJsonSchema } from '../language/json-schema.js';
import type { ScrollerNeeds } from './needs.js';
import { onePage } from './none.js';
import type { Paginator } from './types.js';

export interface MultipleOptions {
  readonly scrollers: ExactObject;
  readonly default?: string;
}

const scrollersByName = withJsonSchema(
  define<ExactObject>('an object of at least one pagination by its name', (value) => isObject(value) && value.size > 0),
  (write) => ({ type: 'object', minProperties: 1, additionalProperties: write.part('pagination') }),
);

export const multiple: Component<MultipleOptions, Paginator, ScrollerNeeds> = {
  summary: 'a choice of methods by name: each job takes the one that its `scroller` names',
  fields: {
    scrollers: {
      type: scrollersByName,
      summary: 'what there is to choose from: paginations as of `api.pagination`, each under its name',
      required: true,
    },
    default: {
      type: text,
      summary: 'the name for jobs without `scroller`',
      otherwise: 'one request a job',
      emptyIsAbsent: true,
    },
  },
  rules: [
    'Stopping conditions stand beside `scrollers`, for all of them, or within one of them.',
    'A `scroller` of a job that is none of the names is a fault of the configuration.',
    'Where a choice leads to another `multiple`, the name is looked up there again.',
  ],
  example: `{
  "method": "multiple",
  "default": "pages",
  "scrollers": { "pages": { "method": "pagenum", "limit": 100 }, "links": { "method": "response.url" } }
}`,

  create({ scrollers, default: byDefault = '' }, { make, problem }) {
    const made = [...scrollers].map(([name, value]) => [name, make(value, 'scrollers', name) ?? onePage] as const);
    const named = new Map<string, Paginator>(made);
    const own = byDefault === '' ? onePage : named.get(byDefault);
    if (own === undefined) {
      const names = [...named.keys()];
      problem(`none of the names in "scrollers"${didYouMean(byDefault, names)}`, 'default');
    }
    return {
      ...(own ?? onePage),
      captures: own?.captures ?? [],
      endpoints: made.flatMap(([, { endpoints = [] }]) => endpoints),
      named,
    };
  },
};
