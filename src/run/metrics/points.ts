/** Values of metrics: numbers that are added to while a run works, and read when someone asks. */

export type Attributes = Readonly<Record<string, string | number>>;

/** One series of a metric. */
export interface MetricPoint {
  readonly attributes: Attributes;
  readonly value: number | Distribution;
}

/** A histogram. */
export class Distribution {
  /** Upper bounds of its buckets; one more bucket has what is above them. */
  readonly bounds: readonly number[];
  readonly counts: number[];
  count = 0;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
    counts[at] = (counts[at] ?? 0) + 1;
    this.count += 1;
    this.sum += value;
  }
}

/** Series by what distinguishes them. */
export class SeriesMap<Value> {
  readonly #series = new Map<string, { readonly attributes: Attributes; value: Value }>();
  readonly #create: () => Value;

  constructor(create: () => Value) {
    this.#create = create;
  }

  /** `attributes` is called once for a key. */
  of(key: string, attributes: () => Attributes): { value: Value } {
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const made = { attributes: attributes(), value: this.#create() };
    this.#series.set(key, made);
    return made;
  }

  all(): readonly { readonly attributes: Attributes; readonly value: Value }[] {
    return [...this.#series.values()];
  }
}
