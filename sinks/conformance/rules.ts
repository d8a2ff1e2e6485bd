/** All rules of the conformance kit, in report order. */
import type { Rule } from './bench.js';
import { contentRules } from './content.js';
import { cuttingRules } from './cutting.js';
import { declaringRules } from './declaring.js';
import { endingRules } from './ending.js';
import { failingRules } from './failing.js';
import { filingRules } from './filing.js';
import { killingRules } from './killing.js';
import { leavingRules } from './leaving.js';
import { recognizingRules } from './recognizing.js';
import { refusingRules } from './refusing.js';
import { replacingRules } from './replacing.js';
import { restartingRules } from './restarting.js';
import { resumingRules } from './resuming.js';
import { transactingRules } from './transacting.js';
import { undoRules } from './undo.js';
import { waitingRules } from './waiting.js';
import { wakingRules } from './waking.js';

/** Those on what a destination has after a kill, a restart or an item that arrives again. */
export const recoveryRules: readonly Rule[] = [
  ...declaringRules,
  ...killingRules,
  ...restartingRules,
  ...cuttingRules,
  ...transactingRules,
  ...wakingRules,
  ...recognizingRules,
  ...leavingRules,
];

export const rules: readonly Rule[] = [
  ...contentRules,
  ...undoRules,
  ...endingRules,
  ...waitingRules,
  ...resumingRules,
  ...failingRules,
  ...replacingRules,
  ...recoveryRules,
  ...refusingRules,
  ...filingRules,
];
