/** What commands load when there is work, in one file for one import: each file that Node loads takes time. */
import { asyncScheduler } from 'rxjs';

export { compileChecker } from '../../sinks/shape/checker.js';
export { openCheckpoint } from '../checkpoint/checkpoint.js';
export { changeMemory, readMemory } from '../checkpoint/edit-memory.js';
export { topics } from '../config/reference/topics.js';
export { schemaText } from '../config/schema/text.js';
export { withoutSecrets } from '../config/secret-sources.js';
export { compileScanner } from '../page/scanner/instance.js';
export { replayEnvironment } from '../recording/replay-environment.js';
export { extract } from '../run/extract.js';
export { createLineage } from '../run/lineage/create-lineage.js';
export { createMetrics } from '../run/metrics/create-metrics.js';
export { metricsPush } from '../run/metrics/push-metrics.js';
export { planRun } from '../run/plan/make-plan.js';
export { exportTraces, traceAddress } from '../run/traces/export-traces.js';
export { jobNames } from '../tools/completion/job-names.js';
export { topicHelp } from '../tools/help/topic-help.js';
export { createLocalServers } from '../tools/local-server.js';
export { followRecording } from '../tools/plan/follow-recording.js';
export { explainText, followedText, planText } from '../tools/plan/plan-text.js';
export { previewRun } from '../tools/preview/preview-run.js';
export { memoryText, shownMemory, withoutValues, withValue } from '../tools/state/memory-edits.js';
export { prepare } from '../tools/text/errors.js';
export { checkDocument } from './check-document.js';
export { readDocument } from './document.js';
export { executeInterruptible } from './execute-run.js';
export { readExchangeOptions } from './open-exchanges.js';
export { openPlaces } from './open-sinks.js';
export { mustExist, openState } from './open-state.js';
export { type RunEngine, runJobs, warnOfPassword } from './run-jobs.js';
export { scheduled } from './run-schedule.js';
export { showRun } from './show-run.js';
export { watchLineage } from './watch-lineage.js';
export { watchMetrics } from './watch-metrics.js';
export { watchTraces } from './watch-traces.js';

/** Epoch ms. */
export const now = (): number => asyncScheduler.now();
