/** Ends a walk by a flag at the top level of the response. docs/03-pagination.md#ending-sooner. */

import { type Exact, isArray, isNumber } from '../core/json/exact.js';
import type { Page } from '../core/model/page.js';
import type { OptionRows } from '../core/options/kind.js';
import { flag } from '../core/options/kinds.js';
import type { Component } from '../language/component.js';
import { nonEmptyStringOrPath } from '../language/kinds.js';
import { capturedAt, captureKind } from './capture.js';
import { shownParam } from './param.js';
import type { StopRule } from './stop-rule.js';

const fields = {
  field: {
    kind: nonEmptyStringOrPath,
    summary: 'the name of the flag at the top level of the response, or a path to it as a list of names',
    required: true,
  },
  stopOn: { kind: flag, summary: 'the value of the flag that ends the job', required: true },
  ifNotSet: {
    kind: flag,
    summary: 'the value to assume if the flag is absent or null',
    otherwise: 'the value of `stopOn`',
  },
} satisfies OptionRows;

export const nextPageFlag: Component<typeof fields, StopRule> = {
  summary: 'ends a job depending on a flag in the response',
  fields,
  rules: [
    'The values false, 0, `""`, `"0"` and `[]` count as false. All other values count as true, including `"false"` and `{}`.',
  ],
  example: '{ "method": "pagenum", "nextPageFlag": { "field": "hasMore", "stopOn": false } }',

  create({ field, stopOn, ifNotSet = stopOn }) {
    const { captures, isSet } = flagAt(typeof field === 'string' ? [field] : field);
    return {
      captures,
      ends(page) {
        const found = isSet(page);
        const is = found === undefined ? 'absent' : found;
        return (found ?? ifNotSet) === stopOn
          ? { stop: `nextPageFlag: "${shownParam(field)}" is ${is}`, by: 'flag' }
          : undefined;
      },
    };
  },
};

/** A flag of the response: the paths to capture, and its value; undefined: absent or null. */
export function flagAt(segments: readonly string[]) {
  const path = captureKind(segments);
  const element = captureKind([...segments, '0']);
  return {
    path,
    captures: [path, element],
    isSet(page: Pick<Page, 'envelope'>): boolean | undefined {
      const value = capturedAt(page, path) ?? undefined;
      return value === undefined ? undefined : isTrue(value, capturedAt(page, element) !== undefined);
    },
  };
}

/** A list is captured without its elements, so whether it has any is captured separately. */
function isTrue(value: Exact, hasElements: boolean): boolean {
  if (isArray(value)) return hasElements;
  if (isNumber(value)) return Number(value.text) !== 0;
  return value !== false && value !== '' && value !== '0';
}
