/**
 * The statement that takes a task from tables of PostgreSQL. It looks at the first tasks of each run that has not
 * ended: how many others there are, done, leased or of runs that it may not take, makes no difference.
 */
import { lastDepth } from './leased-store.js';

/** A task that publishes waits for all others of its run. */
const mayBegin = `(t.depth > ${lastDepth} OR NOT EXISTS (SELECT FROM rxtract.tasks AS o
  WHERE o.run = t.run AND o.state <> 'done' AND o.depth > ${lastDepth}))`;

/** The first task of a run, of those with a condition. Rows that others lock are skipped, not waited for. */
const first = (condition: string, order: string): string =>
  `SELECT * FROM (SELECT t.run, t.task, t.depth, t.number, t.state FROM rxtract.tasks AS t
    WHERE t.run = r.name AND ${condition} AND ${mayBegin} ORDER BY ${order} LIMIT 1 FOR UPDATE SKIP LOCKED) AS first`;

const usual = 't.depth DESC, t.number';

/**
 * $1: the worker, $2: the length of its lease in ms, $3: the build, $4: the most processes that a task may end, $5: its
 * error then. Each condition is that of an index.
 */
export const takeTask = `WITH next AS MATERIALIZED (
    SELECT t.run, t.task, (t.state = 'leased')::integer AS died FROM rxtract.runs AS r
    CROSS JOIN LATERAL (
      ${first(`t.state = 'ready' AND t.not_before IS NULL`, usual)}
      UNION ALL ${first(`t.state = 'ready' AND t.not_before <= now()`, 't.not_before')}
      UNION ALL ${first(`t.state = 'leased' AND t.until <= now()`, usual)}) AS t
    WHERE r.build = $3 AND r.ended IS NULL AND NOT r.cancelled
    ORDER BY ${usual} LIMIT 1)
  UPDATE rxtract.tasks AS t SET epoch = greatest(epoch, (SELECT max(s.epoch) FROM rxtract.swept AS s)) + 1,
    worker = $1, taken = now(), until = now() + $2 * interval '1 ms', not_before = NULL,
    deaths = deaths + died, state = CASE WHEN deaths + died >= $4 THEN 'failed' ELSE 'leased' END,
    error = CASE WHEN deaths + died >= $4 THEN $5 ELSE error END
  FROM next WHERE t.run = next.run AND t.task = next.task
  RETURNING t.run, t.task, t.epoch::text, t.state`;
