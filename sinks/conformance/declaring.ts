/** The rule on what a sink declares: that it has the members which its recovery needs. */
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
