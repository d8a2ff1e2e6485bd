/** Ends a walk by a flag at the top level of the response. requests.md 5.2. */
import type { Component } from '../component.js';
import { type Exact, isArray, isNumber } from '../exact.js';
import { flag, name } from '../fields.js';
import { capturedAt, kindOfCapture } from './capture.js';
import type { StopRule } from './stop-rule.js';

export interface NextPageFlagOptions {
  readonly field: string;
  readonly stopOn: boolean;
  readonly ifNotSet?: boolean;
}

export const nextPageFlag: Component<NextPageFlagOptions, StopRule> = {
  summary: 'ends a job when a flag of the response says so',
  fields: {
    field: { type: name, summary: 'the name of the flag at the top level of the response: no path', required: true },
    stopOn: { type: flag, summary: 'what the flag is where the job ends', required: true },
    ifNotSet: {
      type: flag,
      summary: 'what the flag counts as where it is absent or null',
      otherwise: 'as `stopOn`',
    },
  },
  rules: [
    'Of the values that a flag may have, false, 0, `""`, `"0"` and `[]` are false; all else is true, `"false"` and `{}` too.',
  ],
  example: '{ "method": "pagenum", "nextPageFlag": { "field": "hasMore", "stopOn": false } }',

  create({ field, stopOn, ifNotSet = stopOn }) {
    const path = kindOfCapture([field]);
    const element = kindOfCapture([field, '0']);
    return {
      captures: [path, element],
      ends(page) {
        const value = capturedAt(page, path) ?? undefined;
        const isSet = value === undefined ? ifNotSet : isTrue(value, capturedAt(page, element) !== undefined);
        return isSet === stopOn ? { stop: `nextPageFlag: "${field}" is ${isSet}` } : undefined;
      },
    };
  },
};

/** A list comes without its elements, so that whether there are some is told apart. */
function isTrue(value: Exact, hasElements: boolean): boolean {
  if (isArray(value)) return hasElements;
  if (isNumber(value)) return Number(value.text) !== 0;
  return value !== false && value !== '' && value !== '0';
}
