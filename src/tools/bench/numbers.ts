/** Medians, quartiles and rounding of what was measured. */

/** The value at the middle; of an even number, the mean of the two in the middle. 0 without values. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

export type Quartiles = readonly [lower: number, upper: number];

export const quartiles = (values: readonly number[]): Quartiles => [quantile(values, 0.25), quantile(values, 0.75)];

/** Interpolates between neighbours, as spreadsheets do. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [below = 0, above = below] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return below + (above - below) * (at - Math.floor(at));
}

/** Six significant digits: more is noise. */
export const rounded = (value: number): number => Number(value.toPrecision(6));
