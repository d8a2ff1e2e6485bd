/** The log for programs: one JSON object a line. docs/05-command-line.md documents its stable shapes. */
import type { RefusedItems } from '../../../sinks/decorators/refusals.js';
import type { Drift } from '../../../sinks/shape/judge.js';
import type { JobSummary } from '../../core/model/job-stats.js';
import type { Receipt } from '../../core/model/page.js';
import { defined } from '../../core/util/defined.js';
import type { DisplayRow } from '../live/model.js';
import { type Logger, type LoggerOptions, stackTraces } from './logger.js';

/** Pages and problems count from 1, as in the log for people. */
export function jsonReport({ write, mask, quiet, debug }: LoggerOptions): Logger {
  const writeEvent = (event: object) => write(JSON.stringify(event, (key, value) => maskValue(key, value, mask)));

  return {
    notice({ level, page, ...notice }) {
      if (level === 'debug' ? !debug : level === 'info' && quiet) return;
      writeEvent({ event: 'notice', level, ...notice, ...pageFrom1(page) });
    },
    page(receipt) {
      if (!quiet) writeEvent(pageEvent(receipt));
    },
    progress: (row) => writeEvent(progressEvent(row)),
    error(error, remedy) {
      const { page, sink, job, request, offset, status, transport, kept, login } = error.where;
      const where = { sink, job, ...pageFrom1(page), request, offset, status, transport, kept, login };
      const problems = error.problems.length === 0 ? {} : { problems: error.problems };
      const stack = debug ? { stack: stackTraces(error).join('\n') } : {};
      writeEvent({
        event: 'error',
        level: 'error',
        code: error.code,
        message: error.message,
        ...where,
        ...problems,
        remedy,
        ...stack,
      });
    },
    summary({ ran, jobs, outputs, guarantee, sinks, refused, refusedSinceResume, drift, shapeChanges }, exit) {
      const promise = { ...(guarantee === undefined ? {} : { guarantee }), ...(sinks === undefined ? {} : { sinks }) };
      const left = {
        ...(refused === undefined ? {} : { refused: refused.map(withPagesFrom1) }),
        ...(refusedSinceResume === undefined ? {} : { refusedSinceResume }),
        ...(drift === undefined ? {} : { drift: withPagesFrom1(drift) }),
        ...(shapeChanges === undefined ? {} : { shapeChanges }),
      };
      writeEvent({
        event: 'summary',
        level: 'info',
        ran,
        jobs: jobs.map(withSkipsFrom1),
        outputs,
        ...promise,
        ...left,
        exit,
      });
    },
  };
}

function pageEvent(receipt: Receipt) {
  const { job, dataType, index, count, bytes, requests, retries, delivered } = receipt;
  const { skipped, cached, unchanged, stop, bounded } = receipt;
  const counts = { items: count, bytes, requests, retries, delivered };
  const failure = skipped && { ...skipped, page: skipped.page + 1 };
  const rest = defined({ skipped: failure, cached, unchanged, stop, bounded });
  return { event: 'page', level: 'info', job, dataType, page: index + 1, ...counts, ...rest };
}

const progressEvent = ({ name, pages, items, bytes, retries, rate, share, leftMs }: DisplayRow) => ({
  event: 'progress',
  level: 'info',
  job: name,
  pages,
  items,
  bytes,
  retries,
  itemsPerSecond: rate,
  ...(share === undefined ? {} : { share: Math.floor(share * 1000) / 1000 }),
  ...(leftMs === undefined ? {} : { secondsLeft: Math.round(leftMs / 1000) }),
});

const withSkipsFrom1 = (job: JobSummary): JobSummary =>
  job.skips === undefined ? job : { ...job, skips: job.skips.map((skip) => ({ ...skip, page: skip.page + 1 })) };

const withPagesFrom1 = <Own extends RefusedItems | Drift>(counted: Own) => ({
  ...counted,
  places: counted.places.map((place) => ({ ...place, page: place.page + 1 })),
});

const pageFrom1 = (page: number | undefined) => (page === undefined ? {} : { page: page + 1 });

/** Words of ours, which must not be masked if a secret has the same letters. */
const ours = new Set(['event', 'level', 'code', 'remedy', 'guarantee']);

function maskValue(key: string, value: unknown, mask: (text: string) => string): unknown {
  return typeof value === 'string' && !ours.has(key) ? mask(value) : value;
}
