/**
 * A form of a part of a date text: its pattern, and the function that adds it to a draft. It returns `undefined` for a
 * contradiction.
 */
import type { DateDraft } from './draft.js';

export type DateForm = readonly [
  pattern: string,
  apply: (draft: DateDraft, groups: readonly (string | undefined)[], whole: string) => DateDraft | undefined,
];
