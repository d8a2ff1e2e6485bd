/** The tools for assistants: which command each is, and which of its options an assistant may set. */

export interface ToolRow {
  readonly name: string;
  readonly about: string;
  /** `config`: the path or the text of a configuration; `source`: an address or a curl command; `folders`: of cases. */
  readonly takes: 'config' | 'source' | 'folders';
  /** Names of flags. */
  readonly options: readonly string[];
  /** Those that write a file. */
  readonly writes: readonly string[];
  /** It sends requests, unless it replays a recording. */
  readonly sends?: true;
}

export const toolTable: readonly ToolRow[] = [
  {
    name: 'init',
    about:
      'Finds the configuration for a list of an HTTP API: items, key, pagination, what later runs can ask for. Sends a few requests, and returns the configuration as JSON with comments. Credentials are given by the name of an environment variable, never as values.',
    takes: 'source',
    options: ['header', 'body', 'list', 'name', 'operation', 'param', 'server', 'keep', 'max-requests'],
    writes: ['out', 'force'],
    sends: true,
  },
  {
    name: 'validate',
    about: 'Checks a configuration, and lists all of its problems with their paths. Sends nothing.',
    takes: 'config',
    options: ['strict', 'allow'],
    writes: [],
  },
  {
    name: 'plan',
    about:
      'Shows the requests that a run of a configuration would send, and where each value comes from. Sends nothing.',
    takes: 'config',
    options: ['job', 'explain', 'json', 'replay'],
    writes: [],
  },
  {
    name: 'preview',
    about:
      'Requests the first pages of each job, and shows requests, responses, items, fields and what the pagination would request next.',
    takes: 'config',
    options: ['job', 'pages', 'items', 'replay'],
    writes: ['record'],
    sends: true,
  },
  {
    name: 'shape',
    about:
      'Reads pages of each job, and returns the shape of the items: JSON Schema, TypeScript types, or tables in SQL.',
    takes: 'config',
    options: ['job', 'pages', 'whole', 'as', 'select', 'replay'],
    writes: ['record', 'out'],
    sends: true,
  },
  {
    name: 'test',
    about: 'Replays recordings as tests of configurations, and reports what differs. Sends nothing.',
    takes: 'folders',
    options: ['filter', 'format'],
    writes: ['update'],
  },
];
