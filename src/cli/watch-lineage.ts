/** `--lineage`: events of OpenLineage about the runs of this process. */
import { basename, extname } from 'node:path';
import { createSecrets } from '../core/secrets/secrets.js';
import { defined } from '../core/util/defined.js';
import type { createLineage } from '../run/lineage/create-lineage.js';
import { type ParsedArguments, readFlags } from './arguments.js';
import type { Report } from './report.js';
import { runFlagRows, watchRows } from './run-flags.js';
import { type RunWatch, warnAs } from './run-watch.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined: the option is not given. Throws ERR_USAGE for a wrong address. */
export function watchLineage(
  args: ParsedArguments,
  report: Pick<Report, 'notice' | 'secretsIn'>,
  { env, create }: { readonly env: Environment; readonly create: typeof createLineage },
): RunWatch | undefined {
  const { lineage: address } = readFlags(args, watchRows);
  if (address === undefined) return undefined;
  const apiKey = env.OPENLINEAGE_API_KEY;
  if (apiKey !== undefined) report.secretsIn(createSecrets).add(apiKey);
  const lineage = create(address, {
    job: jobOf(args, env),
    ...defined({ apiKey, namespace: given(env.OPENLINEAGE_NAMESPACE) }),
  });
  return {
    observe: lineage,
    push: () => lineage.sent().catch(warnAs('lineage-not-sent', args, report)),
    close: async () => {},
  };
}

const given = (value: string | undefined): string | undefined => (value === '' ? undefined : value);

/** The name of the configuration file, or of the data folder. */
function jobOf(args: ParsedArguments, { KBC_DATADIR }: Environment): string {
  const [file] = args.positionals;
  const { dataDir = KBC_DATADIR } = readFlags(args, runFlagRows);
  const path = file ?? dataDir ?? '';
  const name = path === '-' ? '' : basename(path, extname(path));
  return name === '' ? 'rxtract' : name;
}
