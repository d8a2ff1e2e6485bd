-- Questions to a board, for a dashboard or an alert. They only read, and no statement of a worker waits for them.

-- Runs: the tasks of each by state, and whether it is over.
SELECT r.name AS run, r.submitted, r.ended, r.cancelled,
  count(*) FILTER (WHERE t.state = 'ready') AS ready,
  count(*) FILTER (WHERE t.state = 'leased') AS leased,
  count(*) FILTER (WHERE t.state = 'done') AS done,
  count(*) FILTER (WHERE t.state = 'failed') AS failed
FROM rxtract.runs AS r JOIN rxtract.tasks AS t ON t.run = r.name
GROUP BY r.name ORDER BY r.submitted;

-- Queue: what workers can take now, what waits after a failure, and leases that have passed. An alert: "passed" stays
-- above 0, or "ready" grows while "leased" is 0: there are too few workers, or none of this version of rxtract.
SELECT r.build, count(*) FILTER (WHERE t.state = 'ready' AND (t.not_before IS NULL OR t.not_before <= now())) AS ready,
  count(*) FILTER (WHERE t.state = 'ready' AND t.not_before > now()) AS waiting,
  count(*) FILTER (WHERE t.state = 'leased' AND t.until > now()) AS leased,
  count(*) FILTER (WHERE t.state = 'leased' AND t.until <= now()) AS passed
FROM rxtract.runs AS r JOIN rxtract.tasks AS t ON t.run = r.name
WHERE r.ended IS NULL AND NOT r.cancelled AND t.state IN ('ready', 'leased')
GROUP BY r.build;

-- Workers: the tasks that each has, and the seconds that are left of its shortest lease.
SELECT worker, count(*) AS tasks, round(extract(epoch FROM min(until) - now())::numeric, 1) AS lease_left
FROM rxtract.tasks WHERE state = 'leased' GROUP BY worker ORDER BY worker;

-- Failures: tasks that have failed, or fail now; those that are not taken again come first.
SELECT run, task, state, fails, deaths, not_before, error
FROM rxtract.tasks WHERE state <> 'done' AND (state = 'failed' OR fails > 0 OR deaths > 0)
ORDER BY state = 'failed' DESC, fails + deaths DESC LIMIT 50;

-- Rates: the requests that each API has had, logins included, and the seconds that it asks all workers to wait.
SELECT key AS api, total AS requests,
  round(greatest(0, refused_until - now_ms, CASE WHEN left_over <= 0 THEN left_until - now_ms END)::numeric / 1000, 1)
    AS wait
FROM rxtract.rates, LATERAL (SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 + shift AS now_ms) AS clock
ORDER BY total DESC;

-- Logins: how many there were of each account, when the last one was, and those that the API refuses. Refresh tokens
-- are rows too.
SELECT left(key, 16) AS login, generation AS logins, written AS last_login, expires, holder IS NOT NULL AS is_logging_in,
  refusals, CASE WHEN refused_until > now() THEN refused_until END AS next_login
FROM rxtract.logins ORDER BY refusals DESC, written DESC;

-- Sizes: the bytes of each table with its indexes, and the rows that a vacuum would remove.
SELECT relname AS name, pg_total_relation_size(relid) AS bytes, n_live_tup AS rows, n_dead_tup AS dead_rows
FROM pg_stat_user_tables WHERE schemaname = 'rxtract' ORDER BY bytes DESC;
