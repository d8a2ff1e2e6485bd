/** The rule on the declared recovery: a sink has the members that it requires. */
import { mustBeComplete } from '../recovery.js';
import type { Rule } from './bench.js';

export const declaringRules: readonly Rule[] = [
  {
    name: 'has what its recovery needs',
    async run({ makeSink }) {
      const sink = await makeSink();
      mustBeComplete(sink);
      return undefined;
    },
  },
];
