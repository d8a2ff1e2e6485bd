/** The plotting library of reports. One file, because the bundle of the command holds its text. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Text that a page contains. */
export interface PlotLibrary {
  readonly script: string;
  readonly style: string;
}

/** Reads it from its package. */
export async function plotLibrary(): Promise<PlotLibrary> {
  const { resolve } = createRequire(import.meta.url);
  const [script, style] = await Promise.all([
    readFile(resolve('uplot/dist/uPlot.iife.min.js'), 'utf8'),
    readFile(resolve('uplot/dist/uPlot.min.css'), 'utf8'),
  ]);
  return { script, style };
}
