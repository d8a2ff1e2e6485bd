/** The messages between the main thread and a scan thread. Bytes of bodies pass through rings, not through messages. */
import type { ErrorCode } from '../../core/errors/error-codes.js';
import { ExtractError } from '../../core/errors/errors.js';
import type { LocatedItems } from '../scanner/items-locator.js';
import type { ScanOptions, Slab } from '../scanner/scan.js';
import type { CapturedText } from '../scanner/slots.js';
import type { SlotMemory } from './slots.js';

/** What a thread is started with. */
export interface ThreadStart {
  /** The compiled scanner, so that code that is optimized in one thread is so in all. */
  readonly scanner: object;
  /** One word, which changes when there is something to do. The thread sleeps on it. */
  readonly bell: SharedArrayBuffer;
  readonly slots: SlotMemory;
}

/** Starts a scan on a lane. `memory` is sent with the first scan of the lane. */
export interface StartScan {
  readonly lane: number;
  readonly memory: SharedArrayBuffer | undefined;
  readonly options: ScanOptions;
  /** The number of captures to report early: the first ones. Undefined: none is reported before the end. */
  readonly early: number | undefined;
}

export type ThreadCommand = StartScan | 'close';

/** What the chain of fingerprints became: the digests from position `from` on are new. */
export interface ChainChange {
  readonly from: number;
  readonly digests: readonly bigint[];
}

/** A slab: the number of a slot and its length, or bytes whose memory is transferred. */
export interface SentSlab extends Pick<Slab, 'offsets' | 'count'> {
  readonly bytes: Uint8Array | { readonly slot: number; readonly length: number };
}

/** An event of a scan. */
export type SentEvent =
  | { readonly slab: SentSlab; readonly chain: ChainChange }
  | { readonly restart: true; readonly chain: ChainChange };

/** What a complete scan has found; see `Scan`. */
export interface ScanFacts {
  readonly count: number;
  readonly itemBytes: number;
  readonly found: LocatedItems;
  /** The captures in the order of the paths, and then that of the data field. */
  readonly captured: readonly CapturedText[];
  readonly chain: ChainChange;
  readonly itemsDigest: bigint | undefined;
}

/** An ExtractError in plain data. */
export interface SentError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly offset: number | undefined;
}

/** The end of a scan; nothing follows it. `stopped`: the body was cut or dropped. */
export type ScanEnd =
  | { readonly kind: 'complete'; readonly facts: ScanFacts }
  | { readonly kind: 'failed'; readonly error: SentError; readonly isAtEnd: boolean }
  | { readonly kind: 'stopped' };

/** The events of a step, in order, and the end of the scan if it has ended. */
export interface ScanReport {
  readonly lane: number;
  readonly events: readonly SentEvent[];
  /** The early captures, once, when all of them have a value. */
  readonly early: readonly CapturedText[] | undefined;
  readonly end: ScanEnd | undefined;
  /** The ring has room again, which its writer has waited for. */
  readonly hasRoom: boolean;
}

/** What a thread sends; `ready` comes first. */
export type ThreadMessage = 'ready' | ScanReport;

export const toSentError = ({ code, message, where }: ExtractError): SentError => ({
  code,
  message,
  offset: where.offset,
});

export const fromSentError = ({ code, message, offset }: SentError): ExtractError =>
  new ExtractError(code, message, offset === undefined ? {} : { offset });
