/** What `ui` loads, in one file for one import, as `checks.ts` for other commands. */
export { configFile } from '../tools/ui/config-file.js';
export { findRoutes } from '../tools/ui/find-routes.js';
export { maskOf } from '../tools/ui/known-mask.js';
export { browserCommand, openBrowser } from '../tools/ui/open-browser.js';
export { pageFiles } from '../tools/ui/page-files.js';
export { servedPage } from '../tools/ui/page-html.js';
export { servePage } from '../tools/ui/page-server.js';
export { runRoutes } from '../tools/ui/run-routes.js';
export { createWorkbench } from '../tools/ui/workbench.js';
export * from './initialize.js';
export { openRunPage } from './page-of-run.js';
export { createPageRuns } from './page-run.js';
