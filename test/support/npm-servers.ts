/** HTTP servers that are packages of npm, for tests of `init`. `.ci/run` installs those of npm-servers.json. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, startServer, type TestServer } from './servers.js';

const scripts = {
  'json-server 0.17': 'json-server/lib/cli/bin.js',
  'json-server 1': 'json-server-1/lib/bin.js',
  verdaccio: 'verdaccio/bin/verdaccio',
} as const;

export type NpmServer = keyof typeof scripts;

const scriptOf = (name: NpmServer): string | undefined => findProgram(join('npm', 'node_modules', scripts[name]));

/** Why the server cannot be tested here; undefined: it can. */
export const npmServerMissing = (name: NpmServer): string | undefined =>
  scriptOf(name) === undefined ? `${name} is not installed` : undefined;

/** Starts json-server with these lists, each under its name. */
export const startJsonServer = (name: NpmServer, lists: Readonly<Record<string, readonly object[]>>) =>
  start(name, ({ port, folder }) => ({
    args: ['--host', '127.0.0.1', '--port', String(port), join(folder, 'lists.json')],
    files: { 'lists.json': JSON.stringify(lists) },
  }));

/** Starts Verdaccio without packages: users who have logged in may read and publish, and it asks no other registry. */
export const startVerdaccio = () =>
  start('verdaccio', ({ port, folder }) => ({
    args: ['--config', join(folder, 'config.yaml'), '--listen', `127.0.0.1:${port}`],
    files: {
      'config.yaml': [
        `storage: ${join(folder, 'storage')}`,
        `auth: { htpasswd: { file: ${join(folder, 'users')} } }`,
        'uplinks: {}',
        "packages: { '**': { access: $authenticated, publish: $authenticated } }",
        'log: { type: stdout, format: pretty, level: fatal }',
      ].join('\n'),
    },
  }));

interface Place {
  readonly port: number;
  readonly folder: string;
}

/** `prepare` gives the arguments, and files of its folder. */
function start(
  name: NpmServer,
  prepare: (place: Place) => { readonly args: readonly string[]; readonly files: Readonly<Record<string, string>> },
): Promise<TestServer> {
  return startServer({
    async prepare(place) {
      for (const [file, text] of Object.entries(prepare(place).files)) await writeFile(join(place.folder, file), text);
    },
    command: (place) => ({ file: process.execPath, args: [scriptOf(name) ?? name, ...prepare(place).args] }),
  });
}
