/** `rxtract init`: writes a configuration for an API. */
import type { Command } from './command.js';
import { logOption } from './options.js';

const details = `SOURCE is the address of a list of the API. \${VARIABLE} in it is a value of the environment.

Examples
  rxtract init https://api.example.com/v1/users
  rxtract init https://api.example.com/v1/users --header 'Authorization: Bearer \${API_TOKEN}'
  rxtract init 'https://\${API_USER}:\${API_PASSWORD}@api.example.com/v1/users'
  rxtract init https://api.example.com/graphql --body '{"query": "..."}' --allow-post

It sends a few requests, finds the list, its key and its pagination, proves the pagination by a second page, and writes
a commented configuration. It sends GET, and POST only after a yes or with --allow-post. Cookies, credentials and values
that are not known to be harmless become {"env": "NAME"}: the file has no secret. Then: rxtract preview config.json
`;

export const init: Command = {
  name: 'init',
  summary: 'write a configuration for an API: find its list and its pagination',
  argument: 'SOURCE',
  options: {
    out: { value: 'FILE', about: 'the file to write, or - for standard output (default: config.json)' },
    force: { about: 'replace the file if it is there' },
    yes: { about: 'ask nothing: take the likeliest' },
    header: { value: 'HEADER', about: `send "NAME: VALUE"; \${VARIABLE} in it is a secret; may be repeated` },
    body: { value: 'JSON', about: 'send a POST with this JSON object' },
    'allow-post': { about: 'send a POST without asking' },
    list: { value: 'PATH', about: 'the list to read, such as data.users (default: the likeliest)' },
    name: { value: 'NAME', about: 'the name of the data (default: from the address)' },
    'max-requests': { value: 'N', about: 'the most requests to send (default: 20)' },
    proxy: { value: 'URL', about: 'as in run' },
    ...logOption,
  },
  details: async () => details,
  async execute(args, shell, report) {
    const { runInit } = await import('./engine.js');
    return runInit(args, shell, report);
  },
};
