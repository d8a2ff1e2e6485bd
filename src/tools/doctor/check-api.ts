/** The steps of a check-up from the configuration to the first page of each job. */
import { nullSink } from '../../../sinks/null.js';
import { applyAssignments } from '../../config/set.js';
import { ExtractError } from '../../core/errors/errors.js';
import type { ExactObject } from '../../core/json/exact.js';
import type { Notice, Notify } from '../../core/model/notice.js';
import type { Secrets } from '../../core/model/secrets.js';
import { defined } from '../../core/util/defined.js';
import { createCredentialBroker } from '../../http/credential-broker.js';
import type { ProbedHost } from '../../http/transport/probe.js';
import { forwardingProxy, readProxyOption } from '../../http/transport/proxy.js';
import { extract } from '../../run/extract.js';
import type { ExtractOptions } from '../../run/options.js';
import { type PlannedRun, planRun } from '../../run/plan/make-plan.js';
import { prepare } from '../text/errors.js';
import { counted } from '../text/format.js';
import { clockFinding, mostItems, pageFinding, rateFinding, refusedFinding } from './api-findings.js';
import { checkName, checkPort, checkTls, checkTunnel, hostOf, hostText } from './connection.js';
import { type CheckedAnswer, type FirstAnswers, firstPage, onceEach } from './first-requests.js';
import { failureOf, type Step, type StepFinding, type Steps } from './steps.js';

/** Reads a configuration, with the name that it has in messages. Its failures and warnings are those of a step. */
export type ReadConfiguration = (notify: Notify) => Promise<{ readonly label: string; readonly content: ExactObject }>;

export interface CheckContext extends Pick<ExtractOptions, 'jobs' | 'allow' | 'env' | 'proxy' | 'commands'> {
  readonly read: ReadConfiguration;
  maskWith(mask: Secrets['mask']): void;
  /** Those of the destinations: the API, which may know them too, is shown without them. */
  readonly secrets: readonly string[];
}

/** A configuration that can run. */
interface Ready extends PlannedRun {
  readonly content: ExactObject;
}

/** Checks configuration, connections, login, first pages, clock and rates. */
export async function checkApi(steps: Steps, context: CheckContext): Promise<void> {
  let ready: Ready | undefined;
  const configuration = await steps.run({ step: 'configuration' }, [], async () => {
    const read = await readConfiguration(context);
    ready = read.ready;
    return read.finding;
  });
  const connected = await checkConnections(steps, configuration, { ready, context });
  const answers = await checkJobs(steps, [configuration, ...connected], { ready, context });
  await steps.run({ step: 'clock' }, [configuration], async () => clockFinding(answers));
  await steps.run({ step: 'rate limit' }, [configuration], async () => rateFinding(answers));
}

async function readConfiguration(context: CheckContext) {
  const { read, jobs, maskWith } = context;
  const notices: Notice[] = [];
  const notify: Notify = (notice) => void notices.push(notice);
  const { label, content } = await read(notify);
  const options = { ...sharedOptions(context), ...defined({ jobs }), notify };
  const planned = await prepare(label, () => planRun(content, options));
  maskWith(planned.mask);
  const warnings = notices
    .filter(({ level }) => level === 'warning')
    .map(({ message, code }) => `${message} [${code}]`);
  const names = topLevel(planned).map(({ job }) => job);
  const message = `${label} is valid: ${counted(names.length, 'job')} (${names.join(', ')})`;
  const finding: StepFinding =
    warnings.length === 0 ? { message } : { verdict: 'warning', message: `${message}; ${warnings.join('; ')}` };
  return { ready: { ...planned, content }, finding };
}

/** Of the plan and of the first pages, whose items are only counted. */
const sharedOptions = ({ env, allow, proxy, commands, secrets }: CheckContext) => ({
  to: { ...nullSink(), secrets },
  ...defined({ env, allow, proxy, commands }),
});

/** The jobs of the first iteration, without children: one page of each is requested. */
const topLevel = ({ plan }: PlannedRun) =>
  (plan.iterations[0]?.jobs ?? []).filter(({ parent }) => parent === undefined);

interface CheckedPlan {
  readonly ready: Ready | undefined;
  readonly context: CheckContext;
}

/** The steps of each host, the last one of each. */
async function checkConnections(
  steps: Steps,
  configuration: Step,
  { ready, context }: CheckedPlan,
): Promise<readonly Step[]> {
  if (ready === undefined) return [await steps.run({ step: 'name' }, [configuration], neverRun)];
  const first = ready.plan.iterations[0];
  const requests = [
    ...(first?.login === undefined ? [] : [first.login.request]),
    ...topLevel(ready).flatMap(({ report = [], first: page }) => [
      ...report.map(({ request }) => request),
      ...(page === undefined ? [] : [page]),
    ]),
  ];
  const hosts = new Map<string, { readonly host: ProbedHost; readonly trusted: boolean; readonly origin: string }>();
  for (const { url, trusted } of requests) {
    const host = hostOf(url);
    if (host !== undefined) hosts.set(hostText(host), { host, trusted, origin: new URL(url).origin });
  }
  const ended: Step[] = [];
  for (const each of hosts.values()) ended.push(...(await checkHost(steps, each, { ready, context })));
  return ended;
}

const neverRun = async (): Promise<StepFinding> => ({ message: '' });

async function checkHost(
  steps: Steps,
  { host, trusted, origin }: { readonly host: ProbedHost; readonly trusted: boolean; readonly origin: string },
  { ready, context: { proxy: option, env } }: CheckedPlan,
): Promise<readonly Step[]> {
  const { sshProxy, tls } = ready?.connections ?? {};
  const choice = option === undefined ? undefined : readProxyOption(option, env);
  const proxy = choice?.proxyOf(origin);
  if (sshProxy !== undefined) {
    const message = `${hostText(host)} is reached through the SSH server ${sshProxy.host}:${sshProxy.port}, which the first page checks`;
    return [await steps.run({ step: 'tunnel' }, [], async () => ({ verdict: 'skipped', message }))];
  }
  if (proxy !== undefined) {
    const server: ProbedHost = { isSecure: false, name: proxy.host.replace(/^\[|\]$/g, ''), port: proxy.port };
    const named = { step: 'proxy', subject: proxy.address };
    const { proxyOf: of = () => proxy } = choice ?? {};
    const isForwarding = forwardingProxy(of, origin) !== undefined;
    const onward = async (signal: AbortSignal) =>
      isForwarding ? undefined : checkTunnel(of, { host, origin }, signal);
    return [await steps.run(named, [], (signal) => checkProxy(server, onward, signal))];
  }
  const name = await steps.run({ step: 'name' }, [], () => checkName(host));
  const port = await steps.run({ step: 'port' }, [name], (signal) => checkPort(host, signal));
  if (!host.isSecure) return [port];
  const { ca, ...client } = tls?.pem ?? {};
  const pem = { ...(ca === undefined ? {} : { ca }), ...(trusted ? client : {}) };
  return [await steps.run({ step: 'TLS' }, [port], (signal) => checkTls(host, pem, signal))];
}

/** `onward` connects to the API through it; undefined: it forwards requests, so that only a request can show more. */
async function checkProxy(
  server: ProbedHost,
  onward: (signal: AbortSignal) => Promise<StepFinding | undefined>,
  signal: AbortSignal,
): Promise<StepFinding> {
  const name = await checkName(server);
  const found = name.verdict === 'failed' ? name : await checkPort(server, signal);
  if (found.verdict === 'failed') return { ...found, todo: 'Check the URL of --proxy, and that the proxy runs.' };
  const through = await onward(signal);
  if (through === undefined) return { message: `${found.message}; it forwards the requests to the API` };
  return { ...through, message: `${found.message}; ${through.message}` };
}

/** The login and the first page of each job. Returns all responses. */
async function checkJobs(
  steps: Steps,
  needs: readonly Step[],
  { ready, context }: CheckedPlan,
): Promise<readonly CheckedAnswer[]> {
  if (ready === undefined) {
    await steps.run({ step: 'first page' }, needs, neverRun);
    return [];
  }
  const answers: CheckedAnswer[] = [];
  const credentials = createCredentialBroker();
  const hasLogin = ready.plan.iterations[0]?.login !== undefined;
  let login: Step | undefined;
  for (const { job } of topLevel(ready)) {
    let run: JobRun | undefined;
    const work = async (signal: AbortSignal): Promise<JobRun> => {
      run ??= await runJob(job, ready, { context, credentials, signal });
      answers.push(...[run.asked.login, run.asked.page].filter((each) => each !== undefined));
      return run;
    };
    if (hasLogin && login === undefined) {
      login = await steps.run({ step: 'login' }, needs, async (signal) => loginOf(await work(signal)));
    }
    const all = [...needs, ...(login === undefined ? [] : [login])];
    await steps.run({ step: 'first page', subject: job }, all, async (signal) => pageOf(run ?? (await work(signal))));
  }
  return answers;
}

/** What came of one job. */
interface JobRun {
  readonly asked: FirstAnswers;
  readonly finding: StepFinding;
  readonly isLoginFailure: boolean;
}

const loginOf = ({ asked, finding, isLoginFailure }: JobRun): StepFinding => {
  if (isLoginFailure) return finding;
  const { login } = asked;
  return login === undefined
    ? { message: 'the credentials need no request' }
    : { message: `${login.request}: status ${login.status}`, ms: login.ms };
};

const pageOf = ({ asked, finding }: JobRun): StepFinding => ({ ...finding, ...defined({ ms: asked.page?.ms }) });

interface JobContext {
  readonly context: CheckContext;
  readonly credentials: ReturnType<typeof createCredentialBroker>;
  readonly signal: AbortSignal;
}

/** Requests login and first page, each once. */
async function runJob(job: string, { content }: Ready, { context, credentials, signal }: JobContext): Promise<JobRun> {
  const warnings: Notice[] = [];
  const { exchanges, asked } = onceEach(job);
  const extraction = extract(applyAssignments(content, ['api.retryConfig.maxRetries=0']), {
    ...sharedOptions(context),
    jobs: [job],
    credentials,
    exchanges,
    maxItems: mostItems,
    prefetch: 0,
    notify(notice) {
      if (notice.level === 'warning' && notice.job !== undefined) warnings.push(notice);
    },
  });
  context.maskWith(extraction.mask);
  try {
    const receipt = await firstPage(extraction, signal);
    if (receipt === undefined) throw new ExtractError('ERR_ABORTED', 'the job ended without a page');
    return { asked, finding: pageFinding(asked.page, receipt, warnings), isLoginFailure: false };
  } catch (thrown) {
    signal.throwIfAborted();
    const isLoginFailure = asked.page === undefined && (isOfLogin(thrown) || asked.login !== undefined);
    const finding = refusedFinding(isLoginFailure ? asked.login : asked.page, thrown, isLoginFailure);
    return { asked, finding: finding.message === '' ? failureOf(thrown) : finding, isLoginFailure };
  }
}

const isOfLogin = (thrown: unknown): boolean => thrown instanceof ExtractError && thrown.where.login === true;
