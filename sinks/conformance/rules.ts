/** All rules of the conformance kit, in the order in which they are reported. */
import type { Rule } from './bench.js';
import { contentRules } from './content.js';
import { endingRules } from './ending.js';
import { failingRules } from './failing.js';
import { replacingRules } from './replacing.js';
import { resumingRules } from './resuming.js';
import { undoRules } from './undo.js';
import { waitingRules } from './waiting.js';

export const rules: readonly Rule[] = [
  ...contentRules,
  ...undoRules,
  ...endingRules,
  ...waitingRules,
  ...resumingRules,
  ...failingRules,
  ...replacingRules,
];
