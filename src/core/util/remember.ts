/** Caches results of pure functions. */

const maxResults = 100;

/** Returns the function with a cache. Beyond 100 results all of them are dropped. Errors are not cached. */
export function remember<T>(work: (key: string) => T): (key: string) => T {
  const results = new Map<string, T>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = work(key);
    if (results.size >= maxResults) results.clear();
    results.set(key, result);
    return result;
  };
}

/** Returns the function with a cache that keeps a result as long as the object it belongs to. Errors are not cached. */
export function rememberFor<K extends object, T extends object>(work: (key: K) => T): (key: K) => T {
  const results = new WeakMap<K, T>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = work(key);
    results.set(key, result);
    return result;
  };
}
