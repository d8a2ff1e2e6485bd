/** What readers of a request may use, beside their input. */

export interface ReadContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks which of several. Undefined: nothing can be asked. */
  choose(question: string, options: readonly Choice[]): Promise<string | undefined>;
  /** Asks for a text, hidden if it is a secret. Undefined: nothing can be asked. */
  ask(question: string, options?: { readonly secret?: boolean }): Promise<string | undefined>;
  /** Requests a text without credentials, through the HTTP client of rxtract. Rejects with its errors. */
  fetchText(url: URL): Promise<string>;
  /** Reads a text file. Rejects with ERR_USAGE. */
  readText(path: string): Promise<string>;
  /** `--operation` */
  readonly operation?: string;
  /** `--entry` */
  readonly entry?: number;
  /** `--param`, each `NAME=VALUE` */
  readonly params: readonly string[];
  /** `--server` */
  readonly server?: string;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}
