/** Words that a reader whose second language is English may not know, or may misread. */

/** Say report, show, state, receive, user, no one, fix, resume, interrupted instead. */
export const avoided = /\b(told|tells|hears|heard|whoever|nobody|mend|mends|mended|gone on with|broken off)\b/i;

/** Names that no declaration in the sources has, each with the word to use instead. */
export const replacedNames: readonly (readonly [name: RegExp, instead: string])[] = [
  [/^scroller$/, 'paginator; `scroller` is a key of a configuration'],
  [/^vault$/, 'references'],
  [/^said$/, 'what the text is: reason, detail, note'],
  [/^faces?$/i, 'consumers'],
  [/^\w*Needs$|^needs$/, 'a context or options'],
  [/^(?:Made|Asked|Found|Begun|Committed|Given|Lost|Said|Kept|Seen|Taken)$/, 'what was made, asked, found'],
];
