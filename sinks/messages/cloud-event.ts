/** Items as CloudEvents 1.0 (CNCF specification, JSON format): same place and same bytes give the same event. */
import type { Batch } from '../../src/core/model/batch.js';
import type { BatchPlace } from '../../src/core/model/batch-place.js';
import { rawEncode } from '../../src/core/url/percent.js';
import { itemBytes, messageIds } from './message-id.js';

export interface CloudEventOptions {
  /** The base address of the API. */
  readonly address: string;
  /** Start of the run, not of the page: a repeated event has the same bytes. */
  readonly time: Date;
  /** Default: `rxtract.item`. */
  readonly type?: string;
}

/** The context attributes of an event; a queue sends them as headers in binary mode. */
export interface CloudEventMembers {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly rxtractrun: string;
  readonly rxtractwalk: string;
  readonly rxtractpage: number;
  readonly rxtractoffset: number;
}

type PlacedBatch = BatchPlace & Pick<Batch, 'job' | 'dataType' | 'bytes' | 'offsets' | 'count'>;

/** Returns the members of an event for each item, without its data. Throws TypeError if `address` is not a URL. */
export function cloudEventMembers(batch: PlacedBatch, options: CloudEventOptions): readonly CloudEventMembers[] {
  const { address, time, type = 'rxtract.item' } = options;
  const source = eventSource(address, batch.job);
  return messageIds(batch).map((id, index) => ({
    specversion: '1.0',
    id,
    source,
    type,
    subject: allowedText(batch.dataType),
    time: time.toISOString(),
    datacontenttype: 'application/json',
    rxtractrun: batch.run,
    rxtractwalk: batch.walk,
    rxtractpage: batch.page,
    rxtractoffset: batch.offset + index,
  }));
}

/**
 * Returns an event for each item in structured mode: one JSON object of UTF-8 bytes, whose `data` has the bytes of the
 * item. Throws TypeError if `address` is not a URL.
 */
export function cloudEvents(batch: PlacedBatch, options: CloudEventOptions): readonly Uint8Array[] {
  return cloudEventMembers(batch, options).map((members, index) => {
    const head = Buffer.from(`${JSON.stringify(members).slice(0, -1)},"data":`);
    return Buffer.concat([head, itemBytes(batch, index), closing]);
  });
}

const closing = Buffer.from('}');

/** The address of the API without user information and query, and the job: the same in each run. */
function eventSource(address: string, job: string): string {
  const url = new URL(address);
  [url.username, url.password, url.search, url.hash] = ['', '', '', ''];
  return `${url.href}#${rawEncode(job)}`;
}

/**
 * Replaces control characters, lone surrogates and noncharacters by %XX: a CloudEvents string must not contain them.
 */
const allowedText = (text: string): string => text.replace(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu, rawEncode);
