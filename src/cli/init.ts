/** `rxtract init`: writes a configuration for an API. */

import { flagsOf } from '../core/options/flags.js';
import { kind, type OptionRows, type OptionsOf } from '../core/options/kind.js';
import { file, flag, text, whole } from '../core/options/kinds.js';
import { listOf } from '../core/options/object-kinds.js';
import { usageError } from '../core/util/check-value.js';
import { commandRows } from '../run/run-options.js';
import { catalog } from '../tools/catalog/entries.js';
import type { OutFile } from '../tools/init/out-file.js';
import type { InitOptions } from '../tools/init/run-init.js';
import { wrap } from '../tools/text/lines.js';
import { type ParsedArguments, readFlags } from './arguments.js';
import type { Command } from './command.js';
import type { Report } from './report.js';
import { logRows, proxyRows } from './run-flags.js';
import type { Shell } from './shell.js';

const names = catalog.map(({ name }) => name);

const details = `SOURCE is one of
  https://api.example.com/v1/users   the address of a list; \${VARIABLE} in it is a value of the environment
  -                                  a curl command on standard input, as "Copy as cURL" of a browser gives it
  -- curl ...                        a curl command; process lists and the history of the shell show its secrets
  openapi.yaml, openapi.json         an OpenAPI document (3.0, 3.1), with --operation; an address works too
  requests.har                       a HAR file, as the network tab of a browser saves it

Examples
  rxtract init https://api.example.com/v1/users
  rxtract init https://api.example.com/v1/users --header 'Authorization: Bearer \${API_TOKEN}'
  rxtract init 'https://\${API_USER}:\${API_PASSWORD}@api.example.com/v1/users'
  rxtract init https://api.example.com/graphql --body '{"query": "..."}' --allow-post
  xclip -o | rxtract init -                     a curl command from the clipboard (macOS: pbpaste)
  rxtract init openapi.yaml --operation listUsers --param account=17
  rxtract init --like stripe                    the configuration of a real API, to set a token and to shorten

It sends a few requests, finds the list, its key, its pagination and what later runs can ask for, proves them, and
writes a commented configuration. It sends GET, and POST only after a yes or with --allow-post. Cookies, credentials and
values that look like credentials become {"env": "NAME"}: the file has no secret. Then: rxtract preview config.json

--like sends nothing. Its names, which \`rxtract catalog search\` lists with what they get:
${wrap(names.join(', '), '  ', '  ').join('\n')}
`;

const texts = listOf(text, 'texts');

/** A message does not list all of them: the command does. */
const expected = 'a name that `rxtract catalog search` lists';
const entryName = kind<string>(expected, (value) => names.some((each) => each === value), {
  schema: { enum: names },
  text: { read: (given) => given, expected, value: 'NAME' },
  offers: names,
});

const initRows = {
  like: {
    kind: entryName,
    value: 'NAME',
    summary: 'write [the configuration of a real API](05-command-line.md#like-a-known-api) as it is, see below',
  },
  out: { kind: file, default: 'config.json', summary: 'the file to write, or - for standard output' },
  force: { kind: flag, summary: 'replace the file if it is there' },
  yes: { kind: flag, summary: 'ask nothing: take the likeliest' },
  header: { kind: texts, value: 'HEADER', summary: `send "NAME: VALUE"; \${VARIABLE} in it is a secret` },
  body: { kind: text, value: 'JSON', summary: 'send a POST with this JSON object' },
  keep: {
    kind: texts,
    value: 'NAME',
    summary: 'write the value of this parameter or header: it is no secret',
    details: 'Without it the value becomes a variable if it looks random. Never one whose name is that of a credential',
  },
  allowPost: { kind: flag, summary: 'send a POST without asking' },
  list: { kind: text, value: 'PATH', summary: 'the list to read, such as data.users', otherwise: 'the likeliest' },
  name: {
    kind: text,
    value: 'NAME',
    summary: 'the name of the data',
    otherwise: 'from the address',
    details: 'It is also that of its file',
  },
  operation: { kind: text, value: 'NAME', summary: 'the operation of an OpenAPI document' },
  param: { kind: texts, value: 'NAME=VALUE', summary: 'a parameter of the operation' },
  server: {
    kind: text,
    value: 'URL',
    summary: 'the address of the API, for an OpenAPI document',
    otherwise: 'its first server',
  },
  entry: {
    kind: whole(1),
    summary: 'the request of a HAR file, counted from 1',
    otherwise: 'the one with the largest list',
  },
  maxRequests: { kind: whole(1, 9999), default: 20, summary: 'the most requests to send' },
  hosts: commandRows.hosts,
  ...proxyRows,
  ...logRows,
} satisfies OptionRows;

export const init: Command = {
  name: 'init',
  summary: 'write a configuration for an API: find its list and its pagination',
  argument: 'SOURCE',
  options: flagsOf(initRows),
  details: async () => details,
  async execute(args, shell, report) {
    const flags = readFlags(args, initRows);
    const { like } = flags;
    if (like !== undefined) checkAlone(like, args);
    const file: OutFile = { out: flags.out, isForced: flags.force === true };
    const tools = await import('./initialize.js');
    if (like !== undefined || args.positionals.length > 0) await tools.checkOut(file);
    const { stdout } = shell;
    const sayAll = (lines: readonly string[]) => {
      for (const message of lines) report.notice({ level: 'info', code: 'init', message });
    };
    if (like !== undefined) {
      const found = await tools.readLike(like);
      await tools.writeOut(file, found.text, stdout);
      sayAll(tools.stepsAfterLike(found, file));
      return {};
    }
    tools.warnOfPassword(args, report);
    return tools.executeInterruptible({ ...shell, notify: report.notice }, async (signal) => {
      const isQuiet = !shell.isInteractive || flags.yes === true || args.positionals[0] === '-';
      const questions = isQuiet ? tools.noQuestions : tools.askOn({ input: shell.stdin, output: shell.stderr, signal });
      const options = { ...optionsOf(flags, args, shell, report), questions, signal };
      try {
        const found = await tools.findConfiguration(args.positionals, options);
        await tools.writeOut(file, found.text, stdout);
        sayAll(tools.nextSteps(found, file, shell.env));
        return {};
      } catch (thrown) {
        if (thrown instanceof tools.Cancelled) return { signal: 'SIGINT' };
        throw thrown;
      }
    });
  },
};

const optionsOf = (
  { header = [], param = [], keep = [], allowPost = false, ...flags }: OptionsOf<typeof initRows>,
  args: ParsedArguments,
  shell: Shell,
  { notice, maskWith }: Report,
): InitOptions => ({
  ...flags,
  headers: header,
  params: param,
  keep,
  allowPost,
  env: shell.env,
  stdin: shell.stdin,
  notify: notice,
  maskWith,
  onVariables: (values) => warnOfSecrets(values, args, shell, notice),
});

/** Process lists show the arguments of a command to all users of a machine. */
function warnOfSecrets(
  values: Readonly<Record<string, string>>,
  args: ParsedArguments,
  { env }: Shell,
  notify: Report['notice'],
): void {
  const inArguments = args.positionals.concat(args.list('header'), args.list('body')).join(' ');
  const names = Object.entries(values)
    .filter(([name, value]) => env[name] !== value && inArguments.includes(value))
    .map(([name]) => name);
  if (names.length === 0) return;
  const message = `process lists show the values of ${names.join(', ')} in the command: export them and write '\${${names[0]}}' in single quotes, or give a curl command to \`rxtract init -\``;
  notify({ level: 'warning', code: 'password-in-arguments', message });
}

/** Options that describe a request, which `--like` does not send. */
const ofRequests = 'header body keep allow-post list name operation param server entry max-requests host proxy'.split(
  ' ',
);

/** Throws ERR_USAGE for what has no effect beside `--like`. */
function checkAlone(like: string, args: ParsedArguments): void {
  const beside = ofRequests.find((each) => args.has(each));
  const [source] = args.positionals;
  if (source !== undefined) throw usageError(`--like ${like} writes a configuration as it is: leave out "${source}"`);
  if (beside !== undefined) throw usageError(`--like ${like} writes a configuration as it is: leave out --${beside}`);
}
