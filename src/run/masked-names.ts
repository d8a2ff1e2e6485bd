/**
 * Finds names that contain a value of the environment: it is masked everywhere, so messages cannot distinguish such
 * jobs.
 */
import { type Config, type JobConfig, withChildren } from '../config/config.js';
import type { Notice } from '../core/model/notice.js';
import type { Secrets } from '../core/model/secrets.js';

/** Warns of each job, and of a bucket, whose name contains a secret. */
export function maskedNames(
  configs: readonly Pick<Config, 'jobs' | 'tables'>[],
  secrets: Pick<Secrets, 'mask'>,
): readonly Notice[] {
  const isMasked = (name: string) => secrets.mask(name) !== name;
  const jobs = configs.flatMap((config) => withChildren<JobConfig>(config.jobs));
  const paths = jobs.filter(({ name, dataType }) => isMasked(name) || isMasked(dataType)).map(({ path }) => path);
  const isBucket = configs.some(({ tables: { bucket = '' } }) => isMasked(bucket));
  return [
    ...[...new Set(paths)].map((path) => warning(`${path}: ${reason}; set its \`dataType\``)),
    ...(isBucket ? [warning(`config.outputBucket: ${reason}`)] : []),
  ];
}

const reason = 'the name contains an environment variable, which is a secret, so it is shown as ***';

const warning = (message: string): Notice => ({ level: 'warning', code: 'masked-name', message });
