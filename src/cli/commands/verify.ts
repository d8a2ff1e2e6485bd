/** `rxtract verify`: checks files against the certificate of their run, or asks the API for its totals again. */
import { ExtractError } from '../../core/errors/errors.js';
import { flagsOf } from '../../core/options/flags.js';
import type { OptionRows } from '../../core/options/kind.js';
import { file, flag, folder } from '../../core/options/kinds.js';
import { usageError } from '../../core/util/check-value.js';
import { defined } from '../../core/util/defined.js';
import type { Certificate } from '../../tools/certificate/certificate.js';
import type { Verified } from '../../tools/certificate/verify-certificate.js';
import { type ParsedArguments, readFlags } from '../arguments.js';
import type { Command } from '../command.js';
import type { Report } from '../report.js';
import { loadEngine } from '../run.js';
import { readingRows } from '../run-flags.js';
import type { Shell } from '../shell.js';

const details = `Examples
  rxtract run config.json --certificate run.json     a run, and what it can prove
  rxtract verify run.json                            its files against the certificate, without the API
  rxtract verify run.json --dir /backup              the same files at another place
  rxtract verify run.json --again                    the totals that the API states now, one request a job

Each line says whether a file, a page or a total is as certified. If one differs, the exit code is 1.
`;

const { maxItemBytes: _, record: __, log, ...askingRows } = readingRows;

const verifyRows = {
  again: { kind: flag, summary: 'ask the API for its totals again, and compare these alone' },
  config: { kind: file, summary: 'with --again: the configuration', otherwise: 'the one that the certificate names' },
  dir: { kind: folder, summary: 'the folder that names of files are relative to', otherwise: 'the current one' },
  json: { kind: flag, summary: 'print each line as a JSON object' },
  ...askingRows,
  log,
} satisfies OptionRows;

export const verify: Command = {
  name: 'verify',
  summary: 'check files against the certificate of their run',
  argument: 'FILE',
  options: flagsOf(verifyRows),
  details: async () => details,
  async execute(args, shell, report) {
    const [path, extra] = args.positionals;
    if (path === undefined) throw usageError('FILE is missing: the path of a certificate');
    if (extra !== undefined) throw usageError(`expected one FILE, found "${extra}" too`);
    const { again, dir = '.', json } = readFlags(args, verifyRows);
    checkAlone(args, again === true);
    const tools = await import('../checks.js');
    const certificate = await tools.readCertificate(path);
    const findings =
      again === true
        ? await askAgain(certificate, args, { shell, report })
        : await tools.verifyCertificate(certificate, dir);
    for (const finding of findings)
      shell.stdout.write(`${json === true ? JSON.stringify(finding) : lineOf(finding)}\n`);
    return defined({ failure: failureOf(findings) });
  },
};

/** Throws ERR_USAGE for options that have no effect. */
function checkAlone(args: ParsedArguments, isAgain: boolean): void {
  const others = isAgain ? ['dir'] : ['config', 'set', 'no-commands', 'proxy', 'replay', 'strict', 'allow'];
  const other = others.find((name) => args.has(name));
  if (other === undefined) return;
  throw usageError(isAgain ? `--again reads no files: leave out --${other}` : `--${other} needs --again`);
}

const lineOf = ({ result, what, text }: Verified): string => `${result}: ${what}: ${text}`;

/** Names in the message. */
const mostNamed = 5;

function failureOf(findings: readonly Verified[]): ExtractError | undefined {
  const names = [...new Set(findings.filter(({ result }) => result === 'differs').map(({ what }) => what))];
  if (names.length === 0) return undefined;
  const more = names.length > mostNamed ? [`${names.length - mostNamed} more`] : [];
  return new ExtractError('ERR_CERTIFICATE', `not as certified: ${[...names.slice(0, mostNamed), ...more].join(', ')}`);
}

/** Requests the first page of each job whose total is certified. */
async function askAgain(
  certificate: Certificate,
  args: ParsedArguments,
  { shell, report }: { readonly shell: Shell; readonly report: Report },
): Promise<readonly Verified[]> {
  const { config = certificate.configuration.file, proxy } = readFlags(args, verifyRows);
  const tools = await loadEngine(shell);
  const checks = await import('../checks.js');
  const jobs = checks.jobsWithTotals(certificate);
  if (jobs.length === 0) return [{ result: 'unchecked', what: 'totals', text: 'the API has stated none in the run' }];
  const open = tools.readExchangeOptions(args);
  tools.warnOfPassword(args, report);
  const document = await tools.readDocument(args, shell, report.notice, config);
  let extraction: ReturnType<typeof tools.extract> | undefined;
  const options = { jobs, maxPages: 1, certify: true, ...defined({ proxy }) };
  const start = (...given: Parameters<typeof tools.extract>) => {
    extraction = tools.extract(...given);
    mustBeSame(certificate, extraction.proof()?.fingerprint, document.label);
    return extraction;
  };
  const { failure } = await tools.showRun(
    { ...document, open, options, start, page: () => {} },
    { args, shell, report },
  );
  if (failure !== undefined) throw failure;
  return checks.compareTotals(certificate, extraction?.proof()?.pages ?? []);
}

function mustBeSame({ configuration }: Certificate, fingerprint: string | undefined, label: string): void {
  if (fingerprint === configuration.fingerprint) return;
  throw new ExtractError(
    'ERR_CERTIFICATE',
    `${label} is another configuration than that of the certified run: --config FILE names that one, and --set changes it as in the run`,
  );
}
