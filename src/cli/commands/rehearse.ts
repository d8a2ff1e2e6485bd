/** `rxtract rehearse`: runs a configuration against faults, and compares what it writes without and with them. */
import { randomInt } from 'node:crypto';
import { ExtractError } from '../../core/errors/errors.js';
import { flagsOf } from '../../core/options/flags.js';
import type { OptionRows } from '../../core/options/kind.js';
import { file, flag, nonEmptyText, whole } from '../../core/options/kinds.js';
import { usageError } from '../../core/util/check-value.js';
import { nearest } from '../../core/util/suggest.js';
import { jobRows, setRows } from '../../run/run-options.js';
import type { FaultName } from '../../tools/rehearse/faults.js';
import type { RehearsalSummary, Rehearsed } from '../../tools/rehearse/rehearse-configuration.js';
import { padEnd } from '../../tools/text/cells.js';
import { counted } from '../../tools/text/format.js';
import { readFlags } from '../arguments.js';
import type { Command } from '../command.js';
import { loadEngine } from '../run.js';
import { logRows } from '../run-flags.js';

const details = `Examples
  rxtract run config.json --record run.jsonl          what the API answers
  rxtract rehearse config.json --replay run.jsonl     the same run with each fault, at its first, middle and last page
  rxtract rehearse config.json --replay run.jsonl --only cut,killed
  rxtract rehearse --list                             the faults

No request leaves this machine: a server in this process answers from the recording. A verdict is held (all bytes are
equal), ended (an error, and all bytes are equal after a resume), or what was lost, repeated or changed, with the key of
the configuration that helps. The exit code is 1 if something was.
`;

const rehearseRows = {
  replay: { kind: file, summary: 'the recording FILE that the API of the rehearsal answers from' },
  only: {
    kind: nonEmptyText,
    value: 'FAULT,...',
    summary: 'only these faults',
    otherwise: 'all',
    excludes: ['except'],
  },
  except: { kind: nonEmptyText, value: 'FAULT,...', summary: 'all but these faults' },
  list: { kind: flag, summary: 'list the faults, and do nothing else' },
  seed: {
    kind: whole(0, 2 ** 31 - 1),
    summary: 'chooses the middle page, and where bodies are cut',
    otherwise: 'another one each time; it is printed',
  },
  json: { kind: flag, summary: 'print each result as a JSON object' },
  ...jobRows,
  ...setRows,
  ...logRows,
} satisfies OptionRows;

export const rehearse: Command = {
  name: 'rehearse',
  summary: 'run a configuration against faults, and see what would be lost or repeated',
  argument: 'CONFIG',
  options: flagsOf(rehearseRows),
  details: async () => details,
  async execute(args, shell, report) {
    const { replay, list, seed = randomInt(2 ** 31 - 1), json, only, except } = readFlags(args, rehearseRows);
    const options = readFlags(args, jobRows);
    const { faults, faultNames, isSafe, rehearseConfiguration, rehearsedLine } = await import('../checks.js');
    const print = (text: string) => void shell.stdout.write(`${text}\n`);
    if (list === true) {
      for (const name of faultNames) print(`${padEnd(name, nameWidth)}${faults[name].summary}`);
      return { isReported: true };
    }
    if (replay === undefined) throw usageError('--replay is missing: a recording, from rxtract run --record FILE');
    const names = chosenNames({ only, except }, faultNames);
    const tools = await loadEngine(shell);
    const document = await tools.readDocument(args, shell, report.notice);
    const content = tools.withoutSecrets(document.content);
    const { env } = tools.replayEnvironment(content, shell.env);
    const found: Rehearsed[] = [];
    return tools.executeInterruptible(shell, async (signal) => {
      const onResult = (result: Rehearsed) => {
        found.push(result);
        print(json === true ? JSON.stringify(result) : rehearsedLine(result));
      };
      const summary = await rehearseConfiguration({
        content,
        env,
        recording: replay,
        names,
        seed,
        signal,
        onResult,
        options,
      });
      if (json === true) print(JSON.stringify({ seed, ...summary }));
      else for (const line of endOf(summary, seed)) print(line);
      const findings = found.filter((each) => !isSafe(each));
      return findings.length === 0 ? {} : { failure: failureOf(findings, found.length) };
    });
  },
};

const nameWidth = 20;

/** Throws ERR_USAGE for a name that is no fault. */
function chosenNames(
  { only, except }: { readonly only?: string | undefined; readonly except?: string | undefined },
  all: readonly FaultName[],
): readonly FaultName[] {
  const given = (only ?? except)?.split(',').map((name) => name.trim());
  if (given === undefined) return all;
  for (const name of given) {
    if (all.some((each) => each === name)) continue;
    const near = nearest(name, all);
    const hint = near === undefined ? 'rxtract rehearse --list shows all' : `did you mean "${near}"?`;
    throw usageError(`--${only === undefined ? 'except' : 'only'}: "${name}" is no fault: ${hint}`);
  }
  return all.filter((name) => given.includes(name) === (only !== undefined));
}

function endOf({ pages, items, skipped }: RehearsalSummary, seed: number): readonly string[] {
  return [
    ...skipped.map(({ fault, reason }) => `not tried: ${fault}: ${reason}`),
    `compared with ${counted(items, 'item')} of ${counted(pages, 'page')}; waits were 50 times shorter; --seed ${seed}`,
  ];
}

function failureOf(findings: readonly Rehearsed[], runs: number): ExtractError {
  const names = [...new Set(findings.map(({ fault }) => fault))].join(', ');
  return new ExtractError(
    'ERR_REHEARSAL',
    `${findings.length} of ${counted(runs, 'rehearsal')} change the items or have no end: ${names}`,
  );
}
