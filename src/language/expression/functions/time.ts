/** time: the current time. */
import { ExactNumber } from '../../../core/json/exact.js';
import { nowSeconds } from '../convert.js';
import type { ExpressionFunction } from '../function.js';

/** Integer Unix seconds at the time of evaluation. docs/reference/functions.md. */
export const time: ExpressionFunction = {
  summary: 'now, in Unix seconds',
  args: [],
  example: '{"function": "time"}',
  gives: '1767225600',
  apply: (_, call) => new ExactNumber(String(nowSeconds(call))),
};
