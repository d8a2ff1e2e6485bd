/**
 * The files of a job with `download`: the body of a response goes to the sinks, and an item that describes it takes its
 * place. docs/14-any-response.md#files.
 */
import type { FileDraft } from '../../../sinks/contract.js';
import { inSink } from '../../../sinks/errors.js';
import { safeFileName } from '../../../sinks/files/file-names.js';
import { ExtractError } from '../../core/errors/errors.js';
import type { Notice } from '../../core/model/notice.js';
import { decode } from '../../core/url/percent.js';
import { bareAddress, resolveUrl } from '../../core/url/url.js';
import type { ByteSource } from '../../core/util/byte-source.js';
import { usageError } from '../../core/util/check-value.js';
import { bodyOf } from '../../http/body.js';
import type { FileRequest } from '../../http/request-context.js';
import type { HttpResponse, ResponseHeaders } from '../../http/types.js';
import type { PageTask } from '../../page/page-task.js';
import type { WalkSettings } from './page-context.js';
import { hideLink } from './report-values.js';

/** One attempt at a file. */
export interface FileAttempt extends FileRequest {
  /** Stores the body. The result has the item as its body. Throws ERR_SINK, and the errors of the body. */
  store(response: HttpResponse, body: ByteSource): Promise<HttpResponse>;
}

/** Begins attempts at the files of a walk. Rejects with ERR_SINK, and with ERR_USAGE for a sink without a place. */
export type BeginFile = (task: PageTask) => Promise<FileAttempt>;

/** Undefined: the responses of the job have items. */
export function createFileStore({ context, client, job, walk }: WalkSettings): BeginFile | undefined {
  const { download, dataType } = job;
  if (download === undefined) return undefined;
  const { sink, runId: run, limits, secrets } = context;
  const members = context.selects.of(dataType)?.namesOf('name') ?? ['name'];
  return async ({ request, index: page }) => {
    hideLink({ context, client }, request.endpoint);
    const url = resolveUrl(client.baseUrl, request.endpoint);
    const name = safeFileName(download.to ?? lastPart(url));
    const draft = await inSink(() => sink.file?.({ run, walk, page, dataType, name, members }));
    if (draft === undefined) throw noPlace(dataType);
    const part = partAfter(draft);
    return {
      ...(part === undefined ? {} : { part }),
      async store(response, body) {
        const { contentType: type = null, digest } = response;
        if (digest !== undefined) {
          await body.read(() => {});
          context.notify(notRecorded(name, job.name));
        }
        const ends = digest ?? (await arrived(draft, response, body, { part, most: limits.maxBodyBytes }));
        return itemOf(response, { name, ...ends, type, url: secrets.maskUrl(url) });
      },
    };
  };
}

/** The error of a sink that has no place for files. */
export const noPlace = (dataType: string, sink = 'the sink'): ExtractError =>
  usageError(
    `"${dataType}" has files (\`download\`), and ${sink} has no place for them: use ndjson, csv, parquet or s3`,
  );

const notRecorded = (name: string, job: string): Notice => ({
  level: 'info',
  code: 'file-not-recorded',
  message: `the recording has the digest of "${name}" and not its bytes: the item is written without the file`,
  job,
});

function lastPart(url: string): string {
  const address = bareAddress(url);
  return decode(address.slice(address.lastIndexOf('/') + 1));
}

/** The last byte comes again: a file that was complete is no error then. */
const partAfter = ({ left }: FileDraft) =>
  left === undefined ? undefined : { from: left.bytes - 1, version: left.version };

interface Expected {
  /** What was asked for; undefined: the whole file. */
  readonly part: FileRequest['part'];
  /** The most bytes of a file; absent: no limit. */
  readonly most: number | undefined;
}

async function arrived(
  draft: FileDraft,
  response: HttpResponse,
  body: ByteSource,
  { part, most = Number.POSITIVE_INFINITY }: Expected,
) {
  const range = rangeOf(response);
  let length = range?.from ?? 0;
  try {
    if (range !== undefined && (range.from !== (part?.from ?? 0) || isOfOther(response.headers, part))) {
      await inSink(() => draft.begin(0)); // the next attempt asks for the whole file
      throw otherPart();
    }
    await inSink(() => draft.begin(length, versionOf(response.headers)));
    await body.read((chunk) => {
      length += chunk.length;
      if (length > most) throw tooLarge(most);
      return inSink(() => draft.write(chunk));
    });
    if (range?.total !== undefined && length !== range.total) throw cutShort(length, range.total);
    const { size, sha256 } = await inSink(() => draft.end());
    return { size, sha256 };
  } finally {
    await inSink(() => draft.leave());
  }
}

/** What a response with a part has, `from` being NaN if it does not say so; undefined: it has the whole file. */
function rangeOf({ status, headers }: HttpResponse) {
  if (status !== 206) return undefined;
  const [, first, total] = /^bytes (\d+)-\d+\/(?:(\d+)|\*)$/i.exec(String(headers['content-range'])) ?? [];
  return { from: Number(first), total: total === undefined ? undefined : Number(total) };
}

/** Some servers ignore `If-Range`: the part is one of another version then. */
const isOfOther = ({ etag }: ResponseHeaders, part: FileRequest['part']): boolean =>
  etag !== undefined && part !== undefined && etag !== part.version;

/** A strong ETag of a body that is sent as it is: a part of an encoded one is none of the file. RFC 9110 13.1.5. */
function versionOf({ etag, 'content-encoding': encoding = 'identity' }: ResponseHeaders): string | undefined {
  return typeof etag === 'string' && etag.startsWith('"') && encoding === 'identity' ? etag : undefined;
}

const tooLarge = (most: number): ExtractError =>
  new ExtractError('ERR_BODY_SIZE', `the file is larger than ${most} bytes (\`maxBodyBytes\`)`);

const cutShort = (length: number, total: number): ExtractError =>
  new ExtractError('ERR_BODY_CUT', `the file has ${total} bytes, and ${length} arrived`, { transport: 18 });

const otherPart = (): ExtractError =>
  new ExtractError('ERR_BODY_CUT', 'the response has not the part of the file that is missing', { transport: 18 });

/** The response with the item in place of the file. */
const itemOf = ({ status, headers, request, address }: HttpResponse, item: object): HttpResponse => ({
  status,
  headers,
  request,
  contentType: 'application/json',
  isOpenEnded: false,
  body: bodyOf([Buffer.from(JSON.stringify(item))]),
  ...(address === undefined ? {} : { address }),
});

/** Whether a response has the file: it was successful, and no rule says what becomes of it. */
export const hasFile = ({ status, verdict }: HttpResponse): boolean =>
  status >= 200 && status < 300 && verdict === undefined;
