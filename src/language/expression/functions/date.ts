/** date: formats a moment. */
import { formatDate } from '../../date/format-date.js';
import { toSeconds, toText } from '../convert.js';
import type { ExpressionFunction } from '../function.js';

/** In UTC. Throws ERR_FUNCTION if the timestamp is no number, or out of range. docs/reference/functions.md. */
export const date: ExpressionFunction = {
  summary: 'a time as a string in the given format, in UTC',
  args: [
    { name: 'format', summary: 'letters for the fields of a date, and other characters between them' },
    { name: 'timestamp', summary: 'the time in Unix seconds; without it, now', optional: true },
  ],
  rules: [
    'The letters are those of PHP. Day: `d` 05, `j` 5, `D` Mon, `l` Monday, `N` 1 to 7, `w` 0 to 6 from Sunday, `S` th, `z` day of the year from 0. Week: `W`, and `o`, its year.',
    'Month: `m` 01, `n` 1, `M` Jan, `F` January, `t` its days. Year: `Y` 2026, `y` 26, `L` 1 in a leap year.',
    'Time: `H` 09, `G` 9, `h` and `g` of twelve hours, `a` am, `A` AM, `i` minutes, `s` seconds, `v` and `u` fractions, always zeros, `B` beats.',
    'Zone: `e`, `T`, `P`, `O`, `p`, `Z`, `I`, always those of UTC. Whole: `c` ISO 8601, `r` RFC 2822, `U` Unix seconds. A backslash before a letter keeps it.',
    'A timestamp that is false is an error: `strtotime` returns false for a string that it cannot parse.',
  ],
  example: '{"function": "date", "args": ["Y-m-d H:i:s", 1492606006]}',
  gives: '2017-04-19 12:46:46',

  apply: ([format = null, timestamp = null], call) => formatDate(toText(format), toSeconds(timestamp, call)),
};
