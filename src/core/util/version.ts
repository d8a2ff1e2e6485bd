/** The version of this package, read where it stands. */
import { createRequire } from 'node:module';

// What `require` gives has no type of its own; the package is ours.
const manifest = createRequire(import.meta.url)('rxtract/package.json') as { readonly version: string };

export const version = manifest.version;
