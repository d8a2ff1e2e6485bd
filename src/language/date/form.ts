/**
 * One form that a piece of a text can have: its pattern, and what it adds to a draft; `undefined` where it contradicts
 * that.
 */
import type { DateDraft } from './draft.js';

export type DateForm = readonly [
  pattern: string,
  apply: (draft: DateDraft, groups: readonly (string | undefined)[], whole: string) => DateDraft | undefined,
];
