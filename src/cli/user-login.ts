/** `rxtract login`: a user approves access once, and the token store of the configuration gets the refresh token. */
import { flagsOf } from '../core/options/flags.js';
import type { OptionRows } from '../core/options/kind.js';
import { flag, whole } from '../core/options/kinds.js';
import { defined } from '../core/util/defined.js';
import { commandRows, setRows } from '../run/run-options.js';
import { readFlags } from './arguments.js';
import type { Command } from './command.js';
import { loadEngine } from './run.js';
import { proxyRows } from './run-flags.js';

const details = `Examples
  rxtract login config.json              prints an address; after the consent the browser returns to this machine
  rxtract login config.json --device     prints a code to enter in a browser of any machine, for servers without one

The configuration needs api.authentication of the type oauth2 with grant refresh_token, a tokenStore, and
authorizationEndpoint or deviceEndpoint. The refresh token goes into the tokenStore; later runs need no login.
`;

const loginRows = {
  device: {
    kind: flag,
    default: false,
    summary: 'use a code for a device, although there is an authorizationEndpoint',
  },
  port: {
    kind: whole(0, 65_535),
    summary: 'the port of this machine that the browser returns to, if the server has registered one',
    otherwise: 'a free one',
  },
  ...proxyRows,
  ...setRows,
  ...commandRows,
} satisfies OptionRows;

export const login: Command = {
  name: 'login',
  summary: 'let a user approve access once, and store the refresh token',
  options: flagsOf(loginRows),
  details: async () => details,
  async execute(args, shell, report) {
    await loadEngine(shell);
    const tools = await import('./checks.js');
    tools.warnOfPassword(args, report);
    const { label, content } = await tools.readDocument(args, shell, report.notice);
    return tools.executeInterruptible(shell, async (signal) => {
      const { device, port, proxy, commands } = readFlags(args, loginRows);
      await tools.prepare(label, () =>
        tools.logIn(content, {
          env: shell.env,
          notify: report.notice,
          byDevice: device,
          commands,
          signal,
          say: (text) => void shell.stdout.write(`${text}\n`),
          maskWith: report.maskWith,
          ...defined({ proxy, port }),
        }),
      );
      shell.stdout.write('The refresh token is stored. Runs of this configuration need no login.\n');
      return {};
    });
  },
};
