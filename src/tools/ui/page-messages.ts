/** What the page and its server say to each other. Types alone: the page is compiled with them. */

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
