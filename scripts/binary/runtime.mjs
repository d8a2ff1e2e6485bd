/** What code in the single executable finds elsewhere than in files beside it. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { getAsset } from 'node:sea';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

const place = dirname(realpathSync(process.execPath));

/** Stands for `import.meta.url`. */
export const executableUrl = pathToFileURL(join(place, basename(process.execPath))).href;

/** Imports a package from `node_modules` beside the executable, or above it: an executable cannot import by itself. */
export const importBeside = new vm.Script('(specifier) => import(specifier)', {
  filename: join(place, 'rxtract.cjs'),
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
}).runInThisContext();

/** The text of a file that the executable holds. */
export const heldText = (name) => getAsset(name, 'utf8');

/** The URL of a module that the executable holds. */
export const heldModule = (name) => `data:text/javascript;base64,${Buffer.from(heldText(name)).toString('base64')}`;
