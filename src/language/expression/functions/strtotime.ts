/** strtotime: parses a moment in words. */

import { ExactNumber } from '../../../core/json/exact.js';
import { strtotime as read } from '../../date/strtotime-grammar.js';
import { toSeconds, toText } from '../convert.js';
import type { ExpressionFunction } from '../function.js';

/** Integer Unix seconds in UTC, or false. Throws ERR_FUNCTION if the base is no number. docs/reference/functions.md. */
export const strtotime: ExpressionFunction = {
  summary: 'a date or relative time as Unix seconds, or false for a string that cannot be parsed',
  args: [
    { name: 'text', summary: 'a date, a time, a relative offset, or several of these' },
    {
      name: 'base',
      summary: 'the base of relative times, in Unix seconds; without it, now',
      optional: true,
    },
  ],
  rules: [
    'It reads the formats of PHP: dates as in ISO 8601 and RFC 2822, `31.12.2026`, `12/31/2026`, `May 1`, `@1492606006`; `today`, `noon`, `tomorrow 10:00`; `-1 day`, `2 weeks ago`, `+3 weekdays`.',
    'Also `next monday`, `monday next week`, `first day of next month`, `last friday of january 2027`. A whole week runs from Monday to Sunday.',
    'Without a zone it is UTC. A date without a time is midnight; `-1 day` keeps the time of the base. January 31 plus one month is the 2nd or 3rd of March.',
  ],
  example: '{"function": "strtotime", "args": ["first day of next month", 1492606006]}',
  gives: '1493642806',

  apply([text = null, base = null], call) {
    const seconds = read(toText(text), toSeconds(base, call));
    return seconds === undefined ? false : new ExactNumber(String(seconds));
  },
};
