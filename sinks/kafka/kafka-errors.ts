/** Errors of Kafka: which are temporary, which end a transaction, and what each means for a user. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { describeSystemError, systemError } from '../../src/core/errors/system-error.js';
import { type HostAndPort, hostText } from '../addresses/server-address.js';
import { tlsReason } from '../servers/tls.js';
import type { KafkaServer } from './kafka-protocol.js';

/** A response that has errors. */
export class KafkaFailure extends Error {
  readonly request: string;
  /** The numbers of the protocol. */
  readonly codes: readonly number[];
  /** The response, of which parts may have succeeded. */
  readonly response: unknown;

  constructor(request: string, codes: readonly number[], message: string, response?: unknown) {
    super(message);
    this.request = request;
    this.codes = codes;
    this.response = response;
  }
}

/** Numbers of errors in the protocol of Kafka. */
export const codes = {
  unknownTopic: 3,
  leaderNotAvailable: 5,
  brokerNotAvailable: 8,
  tooLarge: 10,
  noCoordinator: 15,
  recordListTooLarge: 18,
  topicAuthorization: 29,
  clusterAuthorization: 31,
  topicExists: 36,
  duplicateSequence: 46,
  concurrentTransactions: 51,
} as const;

/** A leader, a coordinator or a replica is missing at the moment: another attempt may succeed. */
const temporary = new Set([2, 3, 5, 6, 7, 8, 9, 13, 14, 15, 16, 19, 20, 41, 51, 56, 74, 75, 89, 100]);

/** The producer has lost its state, its transaction, or its right to write: it begins anew. */
const producerLost = new Set([45, 47, 48, 49, 59, 90, 120]);

/** Whether the server wants the producer to begin anew. */
export const isProducerLost = (thrown: unknown): boolean =>
  thrown instanceof KafkaFailure && thrown.codes.some((code) => producerLost.has(code));

/** Whether a response has one of these errors. */
export const hasCode = (thrown: unknown, ...wanted: readonly number[]): thrown is KafkaFailure =>
  thrown instanceof KafkaFailure && thrown.codes.some((code) => wanted.includes(code));

/** Whether the connection or the state of the cluster is at fault: another attempt may succeed. */
export function isBroken(thrown: unknown): boolean {
  if (thrown instanceof KafkaFailure) return thrown.codes.some((code) => temporary.has(code)) || isProducerLost(thrown);
  if (thrown instanceof ExtractError) return thrown.cause !== undefined && isBroken(thrown.cause);
  const code = systemError(thrown)?.code ?? '';
  if (isFinal(thrown)) return false;
  return code.startsWith('E') || connectionErrors.has(code);
}

/** Codes of the client for a connection that is gone, or a server that does not answer. */
const connectionErrors = new Set(['PLT_KFK_NETWORK', 'PLT_KFK_UNEXPECTED_CORRELATION_ID']);

/** Rejected credentials and certificates: no further attempt helps. */
const isFinal = (thrown: unknown): boolean =>
  chainOf(thrown).some((each) => /AUTHENTICATION|CERT|SIGNED|SSL|TLS|ALTNAME/.test(systemError(each)?.code ?? ''));

interface ProtocolError {
  readonly apiCode: number;
  readonly apiId: string;
  readonly message: string;
  readonly serverErrorMessage: string | null;
}

/** The failure that an error of the client describes; other errors stay as they are. */
export function failureOf(request: string, thrown: unknown): unknown {
  if (!(thrown instanceof AggregateError) || !('response' in thrown)) return thrown;
  const errors: readonly ProtocolError[] = thrown.errors;
  const texts = errors.map(({ message, apiId, serverErrorMessage }) => `${serverErrorMessage || message} (${apiId})`);
  return new KafkaFailure(
    request,
    errors.map(({ apiCode }) => apiCode),
    [...new Set(texts)].slice(0, 3).join('; '),
    thrown.response,
  );
}

/** Describes an error of the server or of the connection. */
export function kafkaError(action: string, thrown: unknown): ExtractError {
  if (thrown instanceof ExtractError) return thrown;
  return new ExtractError('ERR_SINK', `kafka: cannot ${action}: ${reasonOf(thrown)}`, { cause: thrown });
}

/** The error of a cluster that cannot be reached. */
export function connectError({ hosts, tls, sasl }: KafkaServer, thrown: unknown): ExtractError {
  if (thrown instanceof ExtractError) return thrown;
  const where = `${tls === undefined ? 'kafka' : 'kafkas'}://${hosts.map(hostText).join(',')}`;
  const isClosed = chainOf(thrown).every((each) => /PLT_KFK_NETWORK/.test(systemError(each)?.code ?? ''));
  const missing = [...(tls === undefined ? ['TLS (kafkas://)'] : []), ...(sasl === undefined ? ['a user (SASL)'] : [])];
  const hint = isClosed && missing.length > 0 ? `: it may require ${missing.join(' or ')}` : '';
  return new ExtractError('ERR_SINK', `kafka: cannot connect to ${where}: ${reasonOf(thrown)}${hint}`, {
    cause: thrown,
    remedy: 'Check hosts, ports, user and password of --to, and that the servers run.',
  });
}

/** The error of a broker whose address another broker gave. */
export const unreachable = (host: HostAndPort, thrown: unknown): ExtractError =>
  new ExtractError(
    'ERR_SINK',
    `kafka: cannot connect to the broker ${hostText(host)}, which the cluster names: ${reasonOf(thrown)}`,
    { cause: thrown, remedy: 'Check advertised.listeners of the broker: this machine must reach that address.' },
  );

const reasons: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/SASL_AUTHENTICATION_FAILED/, 'the server rejects the user or the password'],
  [/UNSUPPORTED_SASL_MECHANISM/, 'the server does not offer this mechanism: choose another one with `sasl`'],
  [
    /TRANSACTIONAL_ID_AUTHORIZATION_FAILED/,
    'the user lacks the rights Describe and Write for transactional ids that begin with `rxtract-`',
  ],
  [/TOPIC_AUTHORIZATION_FAILED/, 'the user lacks a right for the topic'],
  [/CLUSTER_AUTHORIZATION_FAILED/, 'the user lacks a right for the cluster'],
  [
    /COORDINATOR_NOT_AVAILABLE/,
    'no broker coordinates transactions: there may be fewer than transaction.state.log.replication.factor',
  ],
  [/INVALID_TRANSACTION_TIMEOUT/, 'the server has a lower transaction.max.timeout.ms: set a shorter `timeout`'],
  [/INVALID_REPLICATION_FACTOR/, 'the cluster has too few brokers for this `replication`'],
  [/INVALID_TOPIC_EXCEPTION/, 'a name of a topic has 1 to 249 letters, digits, `.`, `_` and `-`'],
];

function reasonOf(thrown: unknown): string {
  const chain = chainOf(thrown);
  const deepest = chain.at(-1);
  const tls = chain.map(tlsReason).find((each) => each !== undefined);
  if (tls !== undefined) return tls;
  const [text, all] = [describeSystemError(deepest), chain.map(textOf).join(' ')];
  const found = reasons.find(([pattern]) => pattern.test(all))?.[1];
  if (found === undefined) return /^PLT_/.test(text) ? wordsOf(deepest, text) : text;
  return `${found} (${wordsOf(deepest, text)})`;
}

/** What the server says, else the client. */
function wordsOf(thrown: unknown, otherwise: string): string {
  if (!(thrown instanceof Error)) return otherwise;
  const detail = 'serverErrorMessage' in thrown ? thrown.serverErrorMessage : undefined;
  return typeof detail === 'string' && detail !== '' ? detail : thrown.message;
}

const textOf = (thrown: unknown): string =>
  `${systemError(thrown)?.code ?? ''} ${thrown instanceof Error ? thrown.message : ''} ${thrown instanceof Error && 'apiId' in thrown ? thrown.apiId : ''}`;

/** An error and its causes, the outermost first; of several errors the first. */
function chainOf(thrown: unknown): readonly unknown[] {
  const first = thrown instanceof AggregateError ? thrown.errors[0] : undefined;
  const next = thrown instanceof Error ? (thrown.cause ?? first) : undefined;
  return next === undefined || next === thrown ? [thrown] : [thrown, ...chainOf(next)];
}
