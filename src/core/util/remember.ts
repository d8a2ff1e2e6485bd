/** Results that are asked for again and again: a function that remembers a few of them. */

const maxResults = 100;

/** The function, which is pure. Beyond 100 results it forgets all of them. A throw is not remembered. */
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
