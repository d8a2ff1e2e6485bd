/** The store of `--state` and of `rxtract state`: a folder, or an address of a server. */
import { hasLiteralSecret } from '../../sinks/addresses/address.js';
import { withoutSecrets } from '../../sinks/open-addresses.js';
import { isStateAddress, stateAt } from '../checkpoint/store/state-address.js';
import type { Store } from '../checkpoint/store/store.js';
import { usageError } from '../core/util/check-value.js';
import type { ParsedArguments } from './arguments.js';
import { notifyUnlessAllowed } from './document.js';
import { contextOf, passwordIn, type SinkReport } from './open-sinks.js';
import type { Shell } from './shell.js';

interface StatePlace {
  readonly args: ParsedArguments;
  readonly shell: Shell;
  readonly report: SinkReport;
  /** The option that has the address, for messages. */
  readonly place: string;
}

/** Opens nothing yet. Throws ERR_USAGE, and ERR_STRICT for a literal password with --strict. */
export function openState(path: string, { args, shell, report, place }: StatePlace): Store {
  const { env, hide } = contextOf(shell, report);
  const store = stateAt(path, { env, hide });
  if (isStateAddress(path) && hasLiteralSecret(path)) notifyUnlessAllowed([passwordIn(place, '')], args, report.notice);
  return store;
}

/** Rejects with ERR_USAGE if there is no state. */
export async function mustExist(store: Store, path: string): Promise<void> {
  if ((await store.exists?.()) === false) throw usageError(`there is no state "${withoutSecrets(path)}"`);
}
