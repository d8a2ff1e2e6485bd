/** Words that a reader whose second language is English may not know, or may misread. */

/** Say report, show, state, receive, user, no one, fix, resume, interrupted instead. */
export const avoided = /\b(told|tells|hears|heard|whoever|nobody|mend|mends|mended|gone on with|broken off)\b/i;
