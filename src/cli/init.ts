/** `rxtract init`: writes a configuration for an API. */

import { usageError } from '../core/util/check-value.js';
import { didYouMean } from '../core/util/suggest.js';
import { likeNames } from '../tools/init/like-names.js';
import { wrap } from '../tools/text/lines.js';
import type { Command } from './command.js';
import { logOption, proxyOption } from './options.js';

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
    checkLike(args.last('like'));
    const { runInit } = await import('./initialize.js');
    return runInit(args, shell, report);
  },
};

/** Here, not in `init/like.ts`: names that both files read would be a file of the bundle that each command loads. */
function checkLike(name: string | undefined): void {
  if (name === undefined || likeNames.some((each) => each === name)) return;
  throw usageError(
    `--like ${name}: no such configuration${didYouMean(name, likeNames)}; there are ${likeNames.join(', ')}`,
  );
}
