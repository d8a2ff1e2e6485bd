/** What the page and its server say to each other. Types alone: the page is compiled with them. */
import type { PreviewData } from '../preview/preview-data.js';

/** In the page when it is loaded. */
export interface PageStart {
  readonly title: string;
  /** `build`: the whole page. `watch`: a run of `rxtract run --ui`. */
  readonly mode: 'build' | 'watch';
  /** For the header of each request. */
  readonly token: string;
  /** For the styles that the editor adds. */
  readonly nonce?: string;
}

/** The file of the configuration. */
export interface ConfigView {
  /** As it was given. */
  readonly path: string;
  /** Without its secrets, which are marks such as `***1***`. */
  readonly text: string;
  /** A digest of the file; empty: there is no file yet. */
  readonly version: string;
}

/** A problem, or a warning. */
export interface CheckFinding {
  readonly level: 'error' | 'warning' | 'info';
  readonly code: string;
  /** In the configuration; absent: it is about all of it. */
  readonly path?: string;
  /** Of a text that is no JSON: from 1. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

export interface CheckResult {
  readonly isValid: boolean;
  readonly findings: readonly CheckFinding[];
  /** Names of the jobs with their children; empty: it is not valid. */
  readonly jobs: readonly string[];
}

/** A request was refused or has failed. */
export interface PageFault {
  readonly code: string;
  readonly message: string;
}

/** A line of the answer to a test read: a page, and at the end what a check of its log has found. */
export interface TriedLine {
  readonly page?: PreviewData;
  readonly result?: CheckResult;
}

/** What `init` asks. */
export interface PageQuestion {
  readonly id: string;
  readonly kind: 'choose' | 'text' | 'secret' | 'confirm';
  readonly text: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

/** A line of the answer to a search: what was seen, a question, or the end. */
export interface FoundLine {
  readonly note?: string;
  readonly level?: 'debug' | 'info' | 'warning';
  readonly question?: PageQuestion;
  readonly found?: {
    /** The configuration. */
    readonly text: string;
    /** The variables of the environment that it names. */
    readonly variables: readonly string[];
    /** How many requests were sent. */
    readonly sent: number;
  };
  readonly failed?: PageFault;
}

/** A value that a job remembers, or how many pages. */
export interface ShownMemory {
  readonly job: string;
  readonly parent?: readonly (string | null)[];
  readonly value?: string;
  readonly recent?: number;
  readonly at?: string;
  readonly pages?: number;
}

export interface PageRunHead {
  /** Another one for each run; 0: there was none. */
  readonly id: number;
  readonly label: string;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly status: 'idle' | 'running' | 'stopping' | 'ended';
  readonly exit?: number;
}

/** The figures of a run at a moment. */
export interface PageRunTick {
  /** Ms since the start. */
  readonly at: number;
  /** Of pages that the sinks have, so far; requests likewise. */
  readonly items: number;
  readonly requests: number;
  /** Bytes of bodies so far. */
  readonly received: number;
  readonly inFlight: number;
  /** Ms to the heads of responses since the moment before; null: there were none. */
  readonly p50: number | null;
  readonly p95: number | null;
  /** Pages that wait, by what they wait for. */
  readonly waits: Readonly<Record<string, number>>;
}

export interface PageRunRow {
  readonly job: string;
  readonly parent?: string;
  readonly phase: 'waiting' | 'running' | 'done';
  /** What it does, or why it has ended. */
  readonly state: string;
  readonly items: number;
  readonly pages: number;
  readonly requests: number;
  readonly retries: number;
  readonly bytes: number;
}

/** What is new of a run. */
export interface PageRunLine {
  /** What was before is of another run. */
  readonly isNew: boolean;
  readonly head: PageRunHead;
  readonly ticks: readonly PageRunTick[];
  /** Those that have changed. */
  readonly jobs: readonly PageRunRow[];
  /** Lines of `--log json`. */
  readonly log: readonly string[];
}
