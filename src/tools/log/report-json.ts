/** The log for programs: one JSON object a line. Its shapes are rows of events.ts. */
import type { RefusedItems } from '../../../sinks/decorators/refusals.js';
import type { Drift } from '../../../sinks/shape/judge.js';
import type { JobSummary } from '../../core/model/job-stats.js';
import type { Receipt } from '../../core/model/page.js';
import type { DisplayRow } from '../live/model.js';
import { type LogEvent, type LogLevel, type LogMembers, logVersion } from './events.js';
import { type Logger, type LoggerOptions, stackTraces } from './logger.js';

/** Pages and problems count from 1, as in the log for people. */
export function jsonReport({ write, mask, quiet, debug }: LoggerOptions): Logger {
  const writeEvent: WriteEvent = (event, level, members) =>
    write(
      JSON.stringify({ event, level, version: logVersion, ...members }, (key, value) => maskValue(key, value, mask)),
    );

  return {
    notice({ level, code, message, job, sink, page }) {
      if (level === 'debug' ? !debug : level === 'info' && quiet) return;
      writeEvent('notice', level, { code, message, job, sink, page: from1(page) });
    },
    page(receipt) {
      if (!quiet) writeEvent('page', 'info', pageMembers(receipt));
    },
    progress: (row) => writeEvent('progress', 'info', progressMembers(row)),
    error(error, remedy) {
      const { code, message, where, problems } = error;
      const { page, sink, job, request, offset, status, transport, kept, login } = where;
      const place = { sink, job, page: from1(page), request, offset, status, transport, kept, login };
      writeEvent('error', 'error', {
        code,
        message,
        ...place,
        problems: problems.length === 0 ? undefined : problems,
        remedy,
        stack: debug ? stackTraces(error).join('\n') : undefined,
      });
    },
    summary(summary, exit) {
      const { ran, jobs, outputs, guarantee, sinks, refused, refusedSinceResume, drift, shapeChanges } = summary;
      writeEvent('summary', 'info', {
        ran,
        jobs: jobs.map(withSkipsFrom1),
        outputs,
        guarantee,
        sinks,
        refused: refused?.map(withPagesFrom1),
        refusedSinceResume,
        drift: drift && withPagesFrom1(drift),
        shapeChanges,
        exit,
      });
    },
  };
}

type WriteEvent = <Name extends LogEvent>(event: Name, level: LogLevel<Name>, members: LogMembers<Name>) => void;

function pageMembers(receipt: Receipt): LogMembers<'page'> {
  const { job, dataType, index, count, bytes, requests, retries, delivered } = receipt;
  const { skipped, cached, unchanged, stop, bounded } = receipt;
  return {
    job,
    dataType,
    page: index + 1,
    items: count,
    bytes,
    requests,
    retries,
    delivered,
    skipped: skipped && { ...skipped, page: skipped.page + 1 },
    cached,
    unchanged,
    stop,
    bounded,
  };
}

const progressMembers = (row: DisplayRow): LogMembers<'progress'> => ({
  job: row.name,
  pages: row.pages,
  items: row.items,
  bytes: row.bytes,
  retries: row.retries,
  itemsPerSecond: row.rate,
  share: row.share === undefined ? undefined : Math.floor(row.share * 1000) / 1000,
  secondsLeft: row.leftMs === undefined ? undefined : Math.round(row.leftMs / 1000),
});

const withSkipsFrom1 = (job: JobSummary): JobSummary =>
  job.skips === undefined ? job : { ...job, skips: job.skips.map((skip) => ({ ...skip, page: skip.page + 1 })) };

const withPagesFrom1 = <Own extends RefusedItems | Drift>(counted: Own) => ({
  ...counted,
  places: counted.places.map((place) => ({ ...place, page: place.page + 1 })),
});

const from1 = (page: number | undefined) => (page === undefined ? undefined : page + 1);

/** Words of ours, which must not be masked if a secret has the same letters. */
const ours = new Set(['event', 'level', 'code', 'remedy', 'guarantee', 'change']);

function maskValue(key: string, value: unknown, mask: (text: string) => string): unknown {
  return typeof value === 'string' && !ours.has(key) ? mask(value) : value;
}
