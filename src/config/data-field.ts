/** `dataField`: where the items of a page are. docs/12-compatibility.md#items. */

import { type Exact, isNumber, isObject, splitPath } from '../core/json/exact.js';
import type { DataField } from '../core/model/job.js';
import { objectOr } from '../core/options/json-schema.js';
import type { OptionRows } from '../core/options/kind.js';
import { nonEmptyText } from '../core/options/kinds.js';
import type { ConfigPath } from '../language/config-path.js';
import { opaque } from '../language/kinds.js';
import { describeMismatch, isPhpEmpty, readObject } from '../language/read.js';

const pathFields = {
  path: {
    kind: opaque('a path', () => ({ type: ['string', 'number', 'boolean'], not: { enum: ['', false] } })),
    required: true,
    summary: 'the path to the items',
  },
  delimiter: {
    kind: nonEmptyText,
    default: '.',
    summary: 'the separator between the segments of the path',
    emptyIsAbsent: true,
  },
} satisfies OptionRows;

/** Describes `dataField`; `readDataField` reads it. */
export const dataFieldType = opaque(
  'a path (a string, or an object with "path")',
  (write) => objectOr(write.members(pathFields), { type: ['string', 'number', 'boolean'] }),
  { rows: pathFields },
);

/** Values that are empty in PHP mean the automatic search; other scalars are read as text. */
export function readDataField(place: ConfigPath, value: Exact | undefined): DataField | undefined {
  if (value === undefined || isPhpEmpty(value)) return { kind: 'auto' };
  if (!isObject(value)) return pathField(place, value, pathFields.delimiter.default);
  const options = readObject(place, value, pathFields);
  return options === undefined ? undefined : pathField(place.at('path'), options.path, options.delimiter);
}

function pathField(place: ConfigPath, value: Exact, delimiter: string): DataField | undefined {
  const text = scalarText(value);
  if (text !== undefined && text !== '') return { kind: 'path', segments: splitPath(text, delimiter), text };
  place.problem(describeMismatch(dataFieldType.struct.type, value));
  return undefined;
}

function scalarText(value: Exact): string | undefined {
  if (typeof value === 'string') return value;
  if (isNumber(value)) return value.text;
  return value === true ? '1' : undefined;
}
