/** Several paginators by name; each job chooses one. docs/03-pagination.md#multiple. */
import { type ExactObject, isObject } from '../core/json/exact.js';
import { kind, type OptionRows } from '../core/options/kind.js';
import { text } from '../core/options/kinds.js';
import { didYouMean } from '../core/util/suggest.js';
import type { Component } from '../language/component.js';
import { partOf } from '../language/kinds.js';
import { onePage } from './none.js';
import type { PaginationContext, Paginator } from './types.js';

const scrollersByName = kind<ExactObject>(
  'an object of at least one pagination by its name',
  (value) => isObject(value) && value.size > 0,
  {
    each: partOf('pagination', 'an object with "method"'),
    schema: (write) => ({ type: 'object', minProperties: 1, additionalProperties: write.part('pagination') }),
  },
);

const fields = {
  scrollers: {
    kind: scrollersByName,
    summary: 'the methods by name; each is written like `api.pagination`',
    required: true,
  },
  default: {
    kind: text,
    summary: 'the name for jobs without `scroller`',
    default: '',
    otherwise: 'one request for each job',
    emptyIsAbsent: true,
  },
} satisfies OptionRows;

export const multiple: Component<typeof fields, Paginator, PaginationContext> = {
  summary: 'several named methods: the `scroller` of each job selects one',
  fields,
  rules: [
    'Stopping conditions beside `scrollers` hold for all of them; inside one of them, for that one.',
    'If the `scroller` of a job is not one of the names, the configuration is not valid.',
    'If a method is another `multiple`, the name is looked up there again.',
  ],
  example: `{
  "method": "multiple",
  "default": "pages",
  "scrollers": { "pages": { "method": "pagenum", "limit": 100 }, "links": { "method": "response.url" } }
}`,

  create({ scrollers, default: byDefault }, { make, problem }) {
    const paginators = [...scrollers].map(
      ([name, value]) => [name, make(value, 'scrollers', name) ?? onePage] as const,
    );
    const named = new Map<string, Paginator>(paginators);
    const own = byDefault === '' ? onePage : named.get(byDefault);
    if (own === undefined) {
      const names = [...named.keys()];
      problem(`none of the names in "scrollers"${didYouMean(byDefault, names)}`, 'default');
    }
    return {
      ...(own ?? onePage),
      captures: own?.captures ?? [],
      endpoints: paginators.flatMap(([, { endpoints = [] }]) => endpoints),
      named,
    };
  },
};

/** The paginator, or the names to choose from. Without a choice there is one paginator, whatever the name. */
type PaginatorChoice = { readonly paginator: Paginator } | { readonly names: readonly string[] };

/** Looks up the name, also in nested choices. */
export function choosePaginator(paginator: Paginator, name: string): PaginatorChoice {
  if (paginator.named === undefined) return { paginator };
  const chosen = paginator.named.get(name);
  return chosen === undefined ? { names: [...paginator.named.keys()] } : choosePaginator(chosen, name);
}
