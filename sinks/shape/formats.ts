/** The formats of texts: a date, a date with time and offset, a UUID. The checker has the same rules for bytes. */
import type { TextFormat } from './value-shape.js';

const day = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[zZ]|[+-](?:[01]\d|2[0-3]):[0-5]\d)`;

/** As in RFC 3339, and RFC 9562 for `uuid`. */
const forms: readonly (readonly [TextFormat, RegExp])[] = [
  ['date', new RegExp(`^${day}$`)],
  ['date-time', new RegExp(`^${day}[tT]${time}$`)],
  ['uuid', /^[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$/],
];

/** Undefined: none. */
export const formatOf = (text: string): TextFormat | undefined => forms.find(([, form]) => form.test(text))?.[0];
