/** The version of this package, from its manifest. */
import { createRequire } from 'node:module';

// `require` returns any; the manifest is ours.
const manifest = createRequire(import.meta.url)('rxtract/package.json') as { readonly version: string };

export const version = manifest.version;
