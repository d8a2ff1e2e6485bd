/** The emptiness that ends pagination. Unlike in Generic Extractor, 0 and "0" are values. */
import { type Exact, isArray, isObject } from '../core/json/exact.js';

/** Absent, null, an empty text, false, an empty list or an empty object. docs/12-compatibility.md#pagination. */
export function isEmpty(value: Exact | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  if (isArray(value)) return value.length === 0;
  return isObject(value) && value.size === 0;
}
