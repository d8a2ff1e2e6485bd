/** What sinks keep for those of the next task of their run: see `SinkContext.span`. */

/**
 * Returns a function that gets the value of a span and of what it is made from. It makes the value once, and ends it
 * with the span.
 */
export function keptFor<From, Value>(
  make: (from: From) => Value,
  end: (value: Value) => void = () => {},
): (span: AbortSignal, from: From) => Value {
  const kept = new WeakMap<AbortSignal, Map<string, Value>>();
  return (span, from) => {
    const all = kept.get(span) ?? new Map<string, Value>();
    kept.set(span, all);
    const key = JSON.stringify(from);
    const value = all.get(key) ?? make(from);
    if (!all.has(key)) span.addEventListener('abort', () => end(value), { once: true });
    all.set(key, value);
    return value;
  };
}
