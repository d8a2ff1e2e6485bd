/** What the site knows of the repository: its root, its address and its files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const textOf = (path) => readFileSync(join(root, path), 'utf8');
export const manifest = JSON.parse(textOf('package.json'));

/** Where the repository is, as package.json says: `https://host/name`. */
export const address = manifest.repository.url.replace(/^git\+/, '').replace(/\.git$/, '');

/** The address of a file or folder of the repository. */
export const addressOf = (path) => `${address}/blob/main/${path}`;
