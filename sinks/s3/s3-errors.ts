/** The answers of an object store that are errors, in words: what is wrong with the bucket, the keys or the clock. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { longestWait, retryAfterOf } from '../servers/retry-after.js';
import { textIn } from './xml.js';

/** The bucket in messages, and where it is. */
export interface BucketPlace {
  readonly bucket: string;
  /** Scheme, host and port. */
  readonly origin: string;
  readonly region: string;
}

/** A response that is an error. */
export interface FailedAnswer {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** XML, or nothing. */
  readonly text: string;
  /** The message in it, without secrets; may be empty. */
  readonly detail: string;
  /** When the request was signed, in epoch ms. */
  readonly sentAt: number;
}

/** An error that the object store has answered. */
export class S3Error extends ExtractError {
  /** Such as `NoSuchUpload`; for a response without a body its status. */
  readonly answer: string;
  /** Another attempt may succeed. */
  readonly isTemporary: boolean;
  /** The next attempt waits at least so long, in ms. */
  readonly leastWait: number;

  constructor(message: string, answer: string, attempt: { isTemporary: boolean; leastWait?: number }, remedy?: string) {
    super('ERR_SINK', message, remedy === undefined ? {} : { remedy });
    this.answer = answer;
    this.isTemporary = attempt.isTemporary;
    this.leastWait = attempt.leastWait ?? 0;
  }
}

/** Whether the error is this answer of the object store. */
export const isAnswer = (thrown: unknown, ...answers: readonly string[]): boolean =>
  thrown instanceof S3Error && answers.includes(thrown.answer);

/** Describes the answer. `action`: what was to be done, such as `upload "a/users.ndjson"`. */
export function s3Error(action: string, place: BucketPlace, answer: FailedAnswer): S3Error {
  const code = textIn(answer.text, 'Code') ?? String(answer.status);
  const leastWait = retryAfterOf(answer.headers);
  const mayPass = temporaryStatus.has(answer.status) || temporaryCodes.has(code);
  const isTemporary = mayPass && leastWait <= longestWait;
  const { fault, remedy } = reasons[reasonOf(code, answer)]?.(place, answer) ?? unknownFault(code, answer);
  return new S3Error(`s3: cannot ${action}: ${fault}`, code, { isTemporary, leastWait }, remedy);
}

interface Reason {
  readonly fault: string;
  readonly remedy?: string;
}

type Describe = (place: BucketPlace, answer: FailedAnswer) => Reason;

const temporaryStatus = new Set([408, 425, 429, 500, 502, 503, 504]);
const temporaryCodes = new Set(['RequestTimeout', 'SlowDown', 'InternalError', 'OperationAborted', 'IncompleteBody']);

const regionCodes = new Set(['PermanentRedirect', 'TemporaryRedirect', 'AuthorizationHeaderMalformed']);
const tokenCodes = new Set(['ExpiredToken', 'InvalidToken', 'TokenRefreshRequired']);
const denied = new Set(['AccessDenied', 'AllAccessDisabled', 'AccountProblem', '403']);

/** The key of `reasons` for an answer. */
function reasonOf(code: string, { status }: FailedAnswer): string {
  if (regionCodes.has(code) || status === 301 || status === 307) return 'region';
  if (tokenCodes.has(code)) return 'token';
  return denied.has(code) ? 'denied' : code;
}

const reasons: Readonly<Record<string, Describe | undefined>> = {
  region: ({ bucket, region }, { headers, text }) => {
    const other = textIn(text, 'Region') ?? headers['x-amz-bucket-region'];
    const named = other === undefined ? 'another region' : `the region ${String(other)}`;
    return {
      fault: `the bucket "${bucket}" is in ${named}, not in ${region}`,
      remedy: `Add region=${other === undefined ? 'NAME' : String(other)} to the address, or set AWS_REGION.`,
    };
  },
  token: () => ({
    fault: 'the session token is invalid or has expired',
    remedy: 'Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN to new credentials, and use --resume.',
  }),
  denied: ({ bucket }, { detail }) => ({
    fault: `access to the bucket "${bucket}" is denied${inBrackets(detail)}`,
    remedy:
      'Check the name of the bucket, which may belong to somebody else, and that the access key has the right s3:PutObject there.',
  }),
  NoSuchBucket: ({ bucket, origin }) => ({
    fault: `the bucket "${bucket}" does not exist at ${origin}`,
    remedy: 'Create the bucket, or correct its name. rxtract creates no buckets.',
  }),
  InvalidAccessKeyId: ({ origin }) => ({
    fault: `${origin} does not know the access key`,
    remedy: 'Check AWS_ACCESS_KEY_ID; temporary keys, which begin with ASIA, need AWS_SESSION_TOKEN too.',
  }),
  SignatureDoesNotMatch: ({ origin }) => ({
    fault: `${origin} rejects the signature: the secret access key does not belong to the access key`,
    remedy: 'Check AWS_SECRET_ACCESS_KEY.',
  }),
  RequestTimeTooSkewed: (_, answer) => ({
    fault: `the clock of this machine differs from that of the server${skewOf(answer)}`,
    remedy: 'Set the clock of this machine, and use --resume.',
  }),
};

function unknownFault(code: string, { status, detail }: FailedAnswer): Reason {
  return { fault: `status ${status}${code === String(status) ? '' : `, ${code}`}${inBrackets(detail)}` };
}

const inBrackets = (detail: string): string => (detail === '' ? '' : ` (${detail})`);

/** How much the clocks differ, from the `Date` of the response. */
function skewOf({ headers, sentAt }: FailedAnswer): string {
  const ms = sentAt - Date.parse(String(headers.date));
  if (!Number.isFinite(ms)) return '';
  const minutes = Math.round(Math.abs(ms) / 60_000);
  return `: it is ${minutes} minute${minutes === 1 ? '' : 's'} ${ms > 0 ? 'ahead' : 'slow'}`;
}
