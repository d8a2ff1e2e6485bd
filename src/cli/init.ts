/** `rxtract init`: writes a configuration for an API. */

import { usageError } from '../core/util/check-value.js';
import { didYouMean } from '../core/util/suggest.js';
import { likeNames } from '../tools/init/like-names.js';
import type { OutFile } from '../tools/init/out-file.js';
import type { InitOptions } from '../tools/init/run-init.js';
import { wrap } from '../tools/text/lines.js';
import type { ParsedArguments } from './arguments.js';
import type { Command } from './command.js';
import { logOption, proxyOption } from './options.js';
import type { Report } from './report.js';
import type { Shell } from './shell.js';

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

It sends a few requests, finds the list, its key and its pagination, proves the pagination by a second page, and writes
a commented configuration. It sends GET, and POST only after a yes or with --allow-post. Cookies, credentials and values
that look like credentials become {"env": "NAME"}: the file has no secret. Then: rxtract preview config.json

--like sends nothing. NAME is one of
${wrap(likeNames.join(', '), '  ', '  ').join('\n')}
`;

export const init: Command = {
  name: 'init',
  summary: 'write a configuration for an API: find its list and its pagination',
  argument: 'SOURCE',
  options: {
    like: { value: 'NAME', offers: likeNames, about: 'write the configuration of a real API as it is, see below' },
    out: { value: 'FILE', about: 'the file to write, or - for standard output (default: config.json)' },
    force: { about: 'replace the file if it is there' },
    yes: { about: 'ask nothing: take the likeliest' },
    header: { value: 'HEADER', about: `send "NAME: VALUE"; \${VARIABLE} in it is a secret; may be repeated` },
    body: { value: 'JSON', about: 'send a POST with this JSON object' },
    keep: { value: 'NAME', about: 'write the value of this parameter or header: it is no secret; may be repeated' },
    'allow-post': { about: 'send a POST without asking' },
    list: { value: 'PATH', about: 'the list to read, such as data.users (default: the likeliest)' },
    name: { value: 'NAME', about: 'the name of the data (default: from the address)' },
    operation: { value: 'NAME', about: 'the operation of an OpenAPI document' },
    param: { value: 'NAME=VALUE', about: 'a parameter of the operation; may be repeated' },
    server: { value: 'URL', about: 'the address of the API, for an OpenAPI document (default: its first server)' },
    entry: { value: 'N', about: 'the request of a HAR file, counted from 1 (default: the one with the largest list)' },
    'max-requests': { value: 'N', about: 'the most requests to send (default: 20)' },
    ...proxyOption,
    ...logOption,
  },
  details: async () => details,
  async execute(args, shell, report) {
    const like = likeOf(args);
    const file = outOf(args);
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
    const maxRequests = countOf(args, 'max-requests', 20);
    tools.warnOfPassword(args, report);
    return tools.executeInterruptible({ ...shell, notify: report.notice }, async (signal) => {
      const isQuiet = !shell.isInteractive || args.has('yes') || args.positionals[0] === '-';
      const questions = isQuiet ? tools.noQuestions : tools.askOn({ input: shell.stdin, output: shell.stderr, signal });
      const options = { ...optionsOf(args, shell, report), maxRequests, questions, signal };
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

function outOf(args: ParsedArguments): OutFile {
  const out = args.last('out') ?? 'config.json';
  if (out === '') throw usageError('--out needs a file, or - for standard output');
  return { out, isForced: args.has('force') };
}

const optionsOf = (args: ParsedArguments, shell: Shell, { notice, maskWith }: Report): InitOptions => ({
  ...textsOf(args, ['body', 'list', 'name', 'operation', 'server', 'entry', 'proxy']),
  headers: args.list('header'),
  params: args.list('param'),
  keep: args.list('keep'),
  allowPost: args.has('allow-post'),
  env: shell.env,
  stdin: shell.stdin,
  notify: notice,
  maskWith,
  onVariables: (values) => warnOfSecrets(values, args, shell, notice),
});

/** The options with a text that are given. */
const textsOf = <Name extends string>(args: ParsedArguments, names: readonly Name[]) =>
  Object.fromEntries(
    names.flatMap((name) =>
      args
        .list(name)
        .slice(-1)
        .map((text) => [name, text]),
    ),
  ) as {
    readonly [Key in Name]?: string;
  };

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
const ofRequests = 'header body keep allow-post list name operation param server entry max-requests proxy'.split(' ');

/** Reads `--like`. Throws ERR_USAGE for an unknown name, and for what has no effect beside it. */
function likeOf(args: ParsedArguments): string | undefined {
  const name = args.last('like');
  if (name === undefined) return undefined;
  if (!likeNames.some((each) => each === name)) {
    const names = likeNames.join(', ');
    throw usageError(`--like ${name}: no such configuration${didYouMean(name, likeNames)}; there are ${names}`);
  }
  const beside = ofRequests.find((each) => args.has(each));
  const [source] = args.positionals;
  if (source !== undefined) throw usageError(`--like ${name} writes a configuration as it is: leave out "${source}"`);
  if (beside !== undefined) throw usageError(`--like ${name} writes a configuration as it is: leave out --${beside}`);
  return name;
}

/** Reads a whole number from 1 up. Throws ERR_USAGE. */
function countOf(args: ParsedArguments, name: string, usual: number): number {
  const text = args.last(name);
  if (text === undefined) return usual;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value === 0) throw usageError(`--${name} is a whole number from 1 to 9999, found "${text}"`);
  return value;
}
