/** Where parts are: a folder or an object store. Each process writes names of its own, so none needs a fence. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { Opening, PageEnd } from '../contract.js';
import type { OutputPart, PartOrigin } from './part.js';

/** Methods that reject do so with ERR_SINK, unless they say another code. */
export interface PartStore {
  /** Without secrets, such as `parts:out`. */
  readonly shown: string;
  /** The name of a file for messages and the summary. */
  nameOf(path: string): string;
  /** Verifies that parts can be written. */
  check(): Promise<void>;
  /** Begins to write the parts of a process. */
  begin(process: PartProcess): PartWriter;
  /** Throws ERR_RESUME if a part of an earlier process is not there any more. Changes nothing. */
  verify(part: OutputPart): Promise<void>;
  /** Removes all that a process before has written of a whole run after these parts. */
  cutBack(runFolder: string, member: string, parts: readonly OutputPart[]): Promise<void>;
  /**
   * Returns a part of which no process can write the files any more: the same, or a copy. `isLast`: its process was the
   * last one of its member.
   */
  seal(part: OutputPart, options: Sealing): Promise<OutputPart>;
  /** Its pages, in order. Rejects if the part has changed. */
  pages(part: OutputPart): AsyncGenerator<PartPage>;
  /** Undefined: there is none. */
  readManifest(): Promise<StoredManifest | undefined>;
  /** Replaces the manifest as a whole. Throws ERR_RESUME if it is not `before` any more, where the store can tell. */
  writeManifest(text: string, before: StoredManifest | undefined): Promise<void>;
  removeRun(runFolder: string): Promise<void>;
  /** Releases connections. */
  end(): void;
}

export interface StoredManifest {
  readonly text: string;
  /** What identifies the text, such as an ETag. */
  readonly version?: string;
}

export interface PartProcess {
  readonly runFolder: string;
  readonly member: string;
  readonly epoch: number;
  /** Parts are described after each page: what has been written survives the process. */
  readonly isStored: boolean;
}

export interface Sealing {
  readonly isLast: boolean;
  /** Where a copy is. */
  readonly process: Pick<PartProcess, 'runFolder' | 'member' | 'epoch'>;
}

/** A page of a part. Its pieces have whole items. */
export interface PartPage extends PartOrigin {
  readonly walk: string;
  readonly page: number;
  pieces(): AsyncIterable<Uint8Array>;
}

/** The parts of one process, a part for each data type with items. */
export interface PartWriter {
  open(dataType: string, onFailure: Opening['onFailure']): void;
  write(batch: Batch, signal: AbortSignal): void | Promise<void>;
  /** Settles when the page is in the part. */
  commit(page: PageEnd, signal: AbortSignal): void | Promise<void>;
  rollback(dataType: string): void | Promise<void>;
  /** The part up to the last commit; undefined: it has no items. */
  partOf(dataType: string): OutputPart | undefined;
  durable(): Promise<void>;
  /** Removes what follows the last commits, and releases. A second call does nothing. */
  end(): Promise<void>;
}

/** The error of a manifest that another process has replaced since this one has read it. */
export const writtenMeanwhile = (name: string): ExtractError =>
  new ExtractError('ERR_RESUME', `"${name}" was replaced by another process meanwhile`, {
    remedy: 'Let one run at a time publish there. With `--resume` this one replaces what the other has published.',
  });
