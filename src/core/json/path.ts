/** Paths of the configuration language: segments joined by a delimiter; no escaping exists. */

/**
 * Splits a path. A path that equals the delimiter means the whole value: no segments. docs/12-compatibility.md#values.
 */
export function splitPath(path: string, delimiter = '.'): readonly string[] {
  if (path === delimiter) return [];
  return path.split(delimiter);
}
