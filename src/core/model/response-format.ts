/** How the body of a response is read: the keys of `response`, as they are configured. docs/14-any-response.md. */

export const formatNames = ['json', 'lines', 'csv', 'xml', 'text', 'binary'] as const;
export const decodeSteps = ['base64', 'gunzip', 'unzip', 'brotli'] as const;
export const namespaceModes = ['keep', 'drop'] as const;
export const encodingNames = ['utf-8', 'utf-16', 'utf-16le', 'utf-16be', 'latin1', 'windows-1252'] as const;

export type ResponseFormatName = (typeof formatNames)[number];
export type EncodingName = (typeof encodingNames)[number];
export type DecodeStep = (typeof decodeSteps)[number];

/** The keys of `response`, with their defaults. What is absent is guessed, or does not apply to the format. */
export interface ResponseFormat {
  /** Absent: guessed from the response. */
  readonly format?: ResponseFormatName;
  /** What is undone before the body is read, in this order. */
  readonly decode: readonly DecodeStep[];
  /** Patterns of the names of files in a ZIP archive; absent: it has one file. */
  readonly members?: readonly string[];
  /** Of text; absent: by its first bytes. */
  readonly encoding?: EncodingName;
  /** Paths of texts in items that are JSON. */
  readonly parse: readonly (string | readonly string[])[];
  /** The path of the names of columns, where items are arrays. */
  readonly columns?: string | readonly string[];
  /** The first line of a CSV file names its columns. */
  readonly header: boolean;
  /** Names of columns, instead of those in the header. */
  readonly names?: readonly string[];
  /** One character; absent: a comma, or as the content type says. */
  readonly delimiter?: string;
  /** One character; empty: cells are never quoted. */
  readonly quote: string;
  /** The path of the elements of XML that are items, from the root. */
  readonly element?: string | readonly string[];
  /** Whether names of XML keep their prefixes. */
  readonly namespaces: (typeof namespaceModes)[number];
}

/** What CSV files have, if nothing else is configured. */
export const usualDelimiter = ',';
export const usualQuote = '"';

/** A response whose format is guessed. */
export const guessedFormat: ResponseFormat = {
  decode: [],
  parse: [],
  header: true,
  quote: usualQuote,
  namespaces: 'keep',
};
