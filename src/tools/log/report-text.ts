/** The log for people: plain lines, with colour on a terminal for the two words that matter. */
import type { SinkOutput } from '../../../sinks/contract.js';
import type { JobSummary } from '../../core/model/job-stats.js';
import type { Summary } from '../../run/job-stats.js';
import type { DisplayRow } from '../live/model.js';
import { describeError, placed } from '../text/errors.js';
import { clock, counted, grouped, percent, size } from '../text/format.js';
import { fitLine, fitTable, printable } from '../text/lines.js';
import { type Logger, type LoggerOptions, stackTraces } from './logger.js';

const red = 31;
const yellow = 33;

/** Lines are as wide as the terminal, if there is one. */
export function textReport({ write, mask, quiet, debug, color, columns = noTerminal }: LoggerOptions): Logger {
  const clean = (text: string) => printable(text, mask);
  const paint = (word: string, code: number) => (color ? `\u001b[1;${code}m${word}\u001b[0m` : word);
  const say = (line: string) => fitLine(line, columns()).forEach(write);
  const sayPainted = (word: string, code: number, text: string) => {
    const [first = '', ...rest] = fitLine(`${word} ${text}`, columns());
    [`${paint(word, code)}${first.slice(word.length)}`, ...rest].forEach(write);
  };

  return {
    notice(notice) {
      if (notice.level === 'debug' ? !debug : notice.level === 'info' && quiet) return;
      const line = clean(placed(notice));
      if (notice.level === 'warning') sayPainted('warning:', yellow, `${line} [${notice.code}]`);
      else say(line);
    },
    page() {
      // Pages are shown together, by `progress`.
    },
    progress: (row) => say(clean(describeProgress(row))),
    error(error, remedy) {
      const [first = '', ...lines] = [...describeError(error), remedy];
      sayPainted('error:', red, clean(first));
      for (const line of lines) say(`  ${clean(line)}`);
      if (debug) for (const line of stackTraces(error).join('\n').split('\n')) write(clean(line));
    },
    summary(summary, exit) {
      if (quiet || !hasBegun(summary) || exit === closedPipe) return;
      const width = columns();
      jobTable(summary.jobs, clean, width).forEach(write);
      outputTable(summary, exit, clean, width).forEach(write);
      for (const line of [...noteLines(summary, clean), ...guaranteeLines(summary, exit, clean)]) say(line);
    },
  };
}

/** What was left out, and how items differ, each part after an empty line. */
export const noteLines = (summary: Summary, clean: Clean): readonly string[] =>
  [describeSkips, describeRefused, describeDrift, describeShapes].flatMap((describe) => describe(summary, clean));

const noTerminal = () => Number.POSITIVE_INFINITY;

/** A reader such as `head` needs no table. */
const closedPipe = 141;

const hasBegun = ({ jobs }: Summary): boolean => jobs.some(({ stop }) => stop !== 'not started');

type Clean = (text: string) => string;

function jobTable(jobs: readonly JobSummary[], clean: Clean, columns: number): readonly string[] {
  const some = (['cached', 'unchanged'] as const).filter((name) => jobs.some((job) => job[name] !== undefined));
  const counts = ['requests', ...some, 'pages', 'items', 'retries'] as const;
  const heads = ['job', ...counts, 'stopped because'];
  const rows = jobs.map((job) => [clean(job.job), ...counts.map((name) => grouped(job[name] ?? 0)), clean(job.stop)]);
  return fitTable([heads, ...rows], new Set(counts.map((_, index) => index + 1)), columns);
}

/** A failed run has written its output, but not published it. */
function outputTable({ jobs, outputs }: Summary, exit: number, clean: Clean, columns: number): readonly string[] {
  if (outputs.length === 0) return [];
  const isUnpublished = outputs.some(({ unfinished }) => unfinished === true);
  const state = exit === 0 ? '' : isUnpublished ? ' (unfinished, not published)' : ' (unfinished)';
  const hasColumns = outputs.some(({ columns }) => columns !== undefined);
  const heads = ['data type', `output${state}`, 'items', ...(hasColumns ? ['columns'] : []), 'size'];
  const rows = outputs.map(({ dataType, name, items, bytes, columns, kept, size: own = bytes }) => [
    clean(dataType),
    kept === true ? `${clean(name)} (of an earlier run)` : clean(name),
    grouped(items),
    ...(hasColumns ? [columns === undefined ? '' : grouped(columns)] : []),
    size(own),
  ]);
  const isMore = outputs.some((output) => output.items > itemsOf(output.dataType, jobs));
  const note = exit !== 0 && isMore ? ['Items of an incomplete page count in the output only.'] : [];
  const changes = outputs.flatMap((output) => describeChanges(output, outputs).map(clean));
  const notes = [...note, ...changes].flatMap((line) => fitLine(line, columns));
  return ['', ...fitTable([heads, ...rows], new Set([2, 3, 4]), columns), ...notes];
}

/** The columns that changed type: a line each. It names the output, if the data type has several. */
function describeChanges({ dataType, name, changed = [] }: SinkOutput, all: readonly SinkOutput[]): readonly string[] {
  const isAlone = all.filter((each) => each.dataType === dataType).length === 1;
  const what = isAlone ? dataType : `${dataType} (${name})`;
  const lines = changed.slice(0, mostChanges).map(({ column, from, to }) => {
    return `${what}: the column "${column}" was widened from ${from} to ${to}`;
  });
  const rest = changed.length - lines.length;
  return rest === 0 ? lines : [...lines, `${what}: ${counted(rest, 'more column')} changed type, see --log json`];
}

const mostChanges = 10;

/** The requests that failed and were left out: for each job the first ones. */
function describeSkips({ jobs }: Summary, clean: Clean): readonly string[] {
  const lines = jobs.flatMap(({ job, skipped = 0, letters = 0, skips = [] }) => {
    if (skipped === 0) return [];
    const places = skips.slice(0, mostSkips).map(({ status, code, request }) => `  ${status ?? code} ${request}`);
    const rest = skipped - places.length;
    const more = rest === 0 ? [] : [`  and ${grouped(rest)} more, see --log json`];
    const verb = skipped === 1 ? 'was' : 'were';
    const which = letters === skipped ? 'stored' : `${grouped(letters)} of them`;
    const stored = letters === 0 ? '' : `, ${which} as ${letters === 1 ? 'a dead letter' : 'dead letters'}`;
    return [`${job}: ${counted(skipped, 'request')} failed and ${verb} left out${stored}`, ...places, ...more];
  });
  return lines.length === 0 ? [] : ['', ...lines.map(clean)];
}

const mostSkips = 10;

/** The items that were left out, with the first error of each sink. */
function describeRefused({ refused = [], refusedSinceResume }: Summary, clean: Clean): readonly string[] {
  const notes = refusedSinceResume ? ['Items that were refused before this resume are not counted.'] : [];
  if (refused.length + notes.length === 0) return [];
  const lines = refused.map(({ name, items, places: [first] }) => {
    const where =
      first === undefined
        ? ''
        : `; the first: ${first.job}, page ${first.page + 1}, item ${first.item}: ${first.error}`;
    return clean(`${name} refused ${counted(items, 'item')} in this process${where}`);
  });
  return ['', ...lines, ...notes];
}

/** How items differ from their shape: each difference with the first item that has it. */
function describeDrift({ drift }: Summary, clean: Clean): readonly string[] {
  if (drift === undefined) return [];
  const { items, places } = drift;
  const lines = places.slice(0, mostChanges).map(({ job, page, item, message }) => {
    return `  ${job}, page ${page + 1}, item ${item}: ${message}`;
  });
  const rest = places.length - lines.length;
  const more = rest === 0 ? [] : [`  and ${counted(rest, 'more difference')}, see --log json`];
  const verb = items === 1 ? 'differs' : 'differ';
  return [
    '',
    ...[`${counted(items, 'item')} of this process ${verb} from the shape; first`, ...lines, ...more].map(clean),
  ];
}

/** How items differ from those of earlier runs. */
function describeShapes({ shapeChanges = [] }: Summary, clean: Clean): readonly string[] {
  if (shapeChanges.length === 0) return [];
  const lines = shapeChanges.map(({ dataType, changes }) => clean(`  ${dataType}: ${changes.join('; ')}`));
  return ['', 'Items differ from those of earlier runs', ...lines];
}

/** The guarantee of the output after interruptions; for an unfinished run, the guarantee after a resume. */
export function guaranteeLines({ guarantee, sinks = [] }: Summary, exit: number, clean: Clean): readonly string[] {
  if (guarantee === undefined) return [];
  const isSame = sinks.every((sink) => sink.guarantee === guarantee);
  const promised = isSame
    ? `in the output ${guarantee}`
    : sinks.map((sink) => `in ${clean(sink.name)} ${sink.guarantee}`).join(', ');
  return ['', exit === 0 ? `Each item is ${promised}.` : `After --resume, each item will be ${promised}.`];
}

const itemsOf = (dataType: string, jobs: readonly JobSummary[]): number =>
  jobs.reduce((sum, job) => sum + (job.dataType === dataType ? job.items : 0), 0);

/** `users: 12 pages, 12,000 items, 4.1 MB, 1,250 items/s, about 45 % done, about 0:32 left`. */
function describeProgress({ name, pages, items, bytes, rate, share, leftMs }: DisplayRow): string {
  const parts = [
    counted(pages, 'page'),
    counted(items, 'item'),
    size(bytes),
    ...(rate === undefined ? [] : [`${grouped(rate)} items/s`]),
    ...(share === undefined ? [] : [`about ${percent(share)} done`]),
    ...(leftMs === undefined ? [] : [`about ${clock(leftMs)} left`]),
  ];
  return `${name}: ${parts.join(', ')}`;
}
