/** The names of the jobs of a configuration, for completion: read as a run reads them, with stand-ins for variables. */
import { readFile } from 'node:fs/promises';
import { parseDocument } from '../../config/document.js';
import { withoutSecrets } from '../../config/secret-sources.js';
import { replayEnvironment } from '../../recording/replay-environment.js';
import { extract } from '../../run/extract.js';

/** Nothing is sent. A configuration that is not there or not valid has no names. */
export async function jobNames(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  try {
    const content = parseDocument(await readFile(path.replace(/^~(?=\/)/, env.HOME ?? '~')), path);
    const complete = replayEnvironment(content, env).env;
    return extract(withoutSecrets(content), { env: complete, notify: () => {} })
      .summary()
      .jobs.map(({ job }) => job);
  } catch {
    return [];
  }
}
