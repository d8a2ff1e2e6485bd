/** sprintf: formats values into a text. */
import { ExtractError } from '../../../core/errors/errors.js';
import type { Exact } from '../../../core/json/exact.js';
import { toText } from '../convert.js';
import type { ExpressionFunction } from '../function.js';
import { type Directive, write } from '../printf.js';

/** PHP's directives. Throws ERR_FUNCTION for an unknown one, and if values are missing. docs/reference/functions.md. */
export const sprintf: ExpressionFunction = {
  summary: 'a format string whose directives, such as `%05d`, are replaced by values',
  args: [
    {
      name: 'format',
      summary: 'characters and directives: `%`, `1$` for the first value, flags, width, `.precision`, a letter',
    },
    { name: 'values', summary: 'one for each directive; further values are not used', variadic: true },
  ],
  rules: [
    'The letters: `s` a string; `d` a whole number, with all its digits; `u`, `x`, `X`, `o`, `b` a whole number without sign, in hexadecimal, octal or binary digits; `f`, `F`, `e`, `E`, `g`, `G` a double; `c` an ASCII character by its code. `%%` is a percent sign.',
    "The flags: `-` aligns to the left, `+` also shows the sign of positive numbers, `0` or a space fills the width with that character, `'` and a character with that one.",
    'As in PHP, `x`, `X`, `o` and `b` with a precision are empty. The width counts bytes of UTF-8. A string counts as the number at its beginning, or else as 0.',
  ],
  example: '{"function": "sprintf", "args": ["user/%05d?lang=%s", 42, "en"]}',
  gives: 'user/00042?lang=en',
  apply: ([format = null, ...values]) => fill(toText(format), values),
};

/** Argument number, flags, width, precision, letter. At the end of the text the letter is missing. */
const directive = /%(?:%|(?:(\d+)\$)?((?:[-+ 0]|'.)*)(\d*)(?:\.(\d*))?l?(.?))/gsu;

function fill(format: string, values: readonly Exact[]): string {
  let next = 0;
  return format.replace(
    directive,
    (whole, named: string | undefined, flags = '', width = '', precision = '', letter = '') => {
      if (whole === '%%' || letter === '%') return '%';
      const index = named === undefined ? next++ : Number(named) - 1;
      return write(parseDirective(letter, flags, width, precision), valueAt(values, index));
    },
  );
}

function parseDirective(letter: string, flags: string, width: string, precision: string): Directive {
  const fill = [...flags.matchAll(/'(.)|([ 0])/gsu)].at(-1);
  const plain = flags.replace(/'./gsu, '');
  return {
    letter,
    left: plain.includes('-'),
    plus: plain.includes('+'),
    fill: fill?.[1] ?? fill?.[2] ?? ' ',
    width: Math.min(Number(width), widest),
    precision: precision === '' ? undefined : Number(precision),
  };
}

/** No request needs more; a typo must not use all memory. */
const widest = 10_000;

function valueAt(values: readonly Exact[], index: number): Exact {
  const value = values[index];
  if (value !== undefined) return value;
  const asked = index < 0 ? 'value 0, and they count from 1' : `${index + 1} values or more`;
  throw new ExtractError('ERR_FUNCTION', `the format requires ${asked}; found ${values.length}`);
}
