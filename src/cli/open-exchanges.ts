/** `--record` and `--replay`: opens the recording of a run, and reports what came of it. */
import { allowing } from '../core/errors/warnings.js';
import type { ExactObject } from '../core/json/exact.js';
import type { Notice } from '../core/model/notice.js';
import { usageError } from '../core/util/check-value.js';
import type { Exchanges, ExchangesSummary } from '../http/exchanges.js';
import { replayEnvironment } from '../recording/replay-environment.js';
import { counted } from '../tools/text/format.js';
import { type ParsedArguments, readFlags } from './arguments.js';
import type { CommandResult } from './command.js';
import type { Report } from './report.js';
import { exchangeRows } from './run-flags.js';
import type { Shell } from './shell.js';

/** The recording of a run. */
export interface OpenExchanges {
  readonly exchanges: Exchanges;
  readonly isReplay: boolean;
  /** Ends it, and returns what there is to report. Rejects with ERR_RECORDING. */
  close(): Promise<readonly Notice[]>;
}

/** Reads `--record` and `--replay`. Undefined: neither is given. Throws ERR_USAGE. */
export function readExchangeOptions(args: ParsedArguments): (() => Promise<OpenExchanges>) | undefined {
  const { record, replay } = readFlags(args, exchangeRows);
  if (replay !== undefined && args.has('proxy')) throw usageError('--replay opens no connection: leave out --proxy');
  if (record !== undefined) return () => opened(record, false);
  return replay === undefined ? undefined : () => opened(replay, true);
}

/** Loads what records and replays only when it is needed. */
async function opened(path: string, isReplay: boolean): Promise<OpenExchanges> {
  const { recordExchanges, replayExchanges } = await import('../recording/files.js');
  const exchanges = await (isReplay ? replayExchanges : recordExchanges)(path);
  return {
    exchanges,
    isReplay,
    close: async () => (isReplay ? ofReplay : ofRecord)(path, await exchanges.close()),
  };
}

interface ExchangesContext {
  readonly args: ParsedArguments;
  readonly shell: Shell;
  readonly report: Report;
}

/**
 * Runs `work` with the recording, if there is one, and with the environment of its replay; then reports what came of
 * it. The failure of its close is that of the command, unless the work has failed.
 */
export async function withExchanges(
  { open, content }: { readonly open: (() => Promise<OpenExchanges>) | undefined; readonly content: ExactObject },
  { args, shell, report }: ExchangesContext,
  work: (exchanges: Exchanges | undefined, env: Shell['env']) => Promise<CommandResult>,
): Promise<CommandResult> {
  if (open === undefined) return work(undefined, shell.env);
  const { exchanges, isReplay, close } = await open();
  const closed = async (): Promise<unknown> => {
    for (const notice of (await close()).map(allowing(args.list('allow')))) report.notice(notice);
    return undefined;
  };
  let ended: CommandResult;
  try {
    const { env, notices } = isReplay ? replayEnvironment(content, shell.env) : { env: shell.env, notices: [] };
    for (const notice of notices) report.notice(notice);
    ended = await work(exchanges, env);
  } catch (thrown) {
    await closed().catch(() => undefined); // the failure before it is the cause
    throw thrown;
  }
  const failure = await closed().catch((thrown: unknown) => thrown);
  return failure === undefined ? ended : { failure, ...ended };
}

function ofRecord(path: string, { exchanges, masked }: ExchangesSummary): readonly Notice[] {
  const none = `recorded no exchange; an earlier recording in ${path} is unchanged`;
  const done = exchanges === 0 ? none : `recorded ${counted(exchanges, 'exchange')} in ${path}`;
  return [{ level: 'info', code: 'recorded', message: done }, ...ofMasked(masked)];
}

function ofReplay(path: string, { exchanges, masked, unused }: ExchangesSummary): readonly Notice[] {
  const left = unused === 0 ? '' : `; ${counted(unused, 'exchange')} of the recording not used`;
  const done = `replayed ${counted(exchanges, 'exchange')} from ${path}${left}`;
  return [{ level: 'info', code: 'replayed', message: done }, ...ofMasked(masked)];
}

/** Of responses with items, in which secrets are masked. */
function ofMasked(masked: number): readonly Notice[] {
  if (masked === 0) return [];
  const where = `secrets are masked in ${counted(masked, 'response')} of the recording`;
  const message = `${where}: items that contain them differ from those of the API`;
  return [{ level: 'warning', code: 'recording-masked', message }];
}
