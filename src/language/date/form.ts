/** One form that a piece of a text can have: its pattern, and what it adds to a draft; `undefined` where it contradicts that. */
import type { Draft } from './draft.js';

export type Form = readonly [
  pattern: string,
  apply: (draft: Draft, groups: readonly (string | undefined)[], whole: string) => Draft | undefined,
];
