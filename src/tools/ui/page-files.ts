/** The program and the style of the page. One file, because the bundle of the command holds their texts. */
import { readFile } from 'node:fs/promises';

export interface PageFiles {
  readonly script: string;
  readonly style: string;
}

/** Reads what `npm run build` has made of `ui/`. */
export async function pageFiles(): Promise<PageFiles> {
  const built = new URL('../../../build/ui/', import.meta.url);
  const [script, style] = await Promise.all([
    readFile(new URL('page.js', built), 'utf8'),
    readFile(new URL('page.css', built), 'utf8'),
  ]);
  return { script, style };
}
