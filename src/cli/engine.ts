/** What commands load when there is work, in one file for one import: each file that Node loads takes time. */
import { asyncScheduler } from 'rxjs';

export { openCheckpoint } from '../checkpoint/checkpoint.js';
export { topics } from '../config/reference/topics.js';
export { schemaText } from '../config/schema/text.js';
export { compileScanner } from '../page/scanner/instance.js';
export { extract } from '../run/extract.js';
export { jobNames } from '../tools/completion/job-names.js';
export { topicHelp } from '../tools/help/topic-help.js';
export { showPlan } from '../tools/plan/show-plan.js';
export { showPreview } from '../tools/preview/show-preview.js';
export { checkDocument } from './check-document.js';
export { type RunEngine, runJobs } from './run-jobs.js';

/** Epoch ms. */
export const now = (): number => asyncScheduler.now();
