/**
 * A true sshd for tests: each connection to a port of ours is served by a process of its own, so that it can be cut and
 * killed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

export interface Sshd {
  readonly proxy: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly privateKey: string;
    readonly path: string;
  };
  readonly hostFingerprint: string;
  /** Connections that were made, in order; destroying one kills its tunnel. */
  readonly connections: readonly Socket[];
  /** What it logged so far. */
  log(): string;
  stop(): Promise<void>;
}

const program = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'].find((path) => existsSync(path));
const hasKeygen = spawnSync('ssh-keygen', ['-?']).error === undefined;

/** Why no tunnel can be tested here; undefined: it can. */
export const sshdMissing: string | undefined =
  program === undefined ? 'sshd is not installed' : hasKeygen ? undefined : 'ssh-keygen is not installed';

/** Makes a key pair. Returns the private one; the public one lies beside it. */
export function makeKey(path: string, ...options: readonly string[]): string {
  const { status, stderr } = spawnSync('ssh-keygen', ['-q', '-N', '', '-f', path, ...options], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ssh-keygen: ${stderr}`);
  return readFileSync(path, 'utf8');
}

/** Starts one that lets in a new key alone, to forward alone. `lines` go to its configuration. */
export async function startSshd(lines: readonly string[] = []): Promise<Sshd> {
  if (program === undefined) throw new Error(sshdMissing);
  const folder = mkdtempSync(join(tmpdir(), 'rxtract-sshd-'));
  const at = (name: string) => join(folder, name);
  const privateKey = makeKey(at('user'), '-t', 'ed25519');
  makeKey(at('host'), '-t', 'ed25519');
  writeFileSync(at('authorized'), `restrict,port-forwarding ${readFileSync(at('user.pub'), 'utf8')}`, { mode: 0o600 });
  writeFileSync(at('config'), [...settings(at), ...lines, ''].join('\n'));
  // Where privileges are separated sshd insists on this folder.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });

  const connections: Socket[] = [];
  const ends: Promise<unknown>[] = [];
  let log = '';
  const server = createServer((socket) => {
    connections.push(socket);
    const child = spawn(program, ['-i', '-e', '-f', at('config')]);
    ends.push(once(child, 'exit'));
    child.stderr.setEncoding('utf8').on('data', (text) => {
      log += text;
    });
    for (const stream of [socket, child.stdin, child.stdout]) stream.on('error', () => undefined);
    socket.pipe(child.stdin);
    child.stdout.pipe(socket);
    socket.on('close', () => child.kill('SIGKILL'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;

  return {
    proxy: { host: '127.0.0.1', port, user: userInfo().username, privateKey, path: 'sshProxy' },
    hostFingerprint: fingerprintOf(at('host.pub')),
    connections,
    log: () => log,
    async stop() {
      server.close();
      for (const socket of connections) socket.destroy();
      await Promise.all(ends);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const settings = (at: (name: string) => string): readonly string[] => [
  `HostKey ${at('host')}`,
  `AuthorizedKeysFile ${at('authorized')}`,
  `PidFile none`,
  'StrictModes no',
  'UsePAM no',
  'PasswordAuthentication no',
  'KbdInteractiveAuthentication no',
  'PermitRootLogin yes',
  'LogLevel DEBUG1',
];

function fingerprintOf(publicKey: string): string {
  const { stdout } = spawnSync('ssh-keygen', ['-l', '-E', 'sha256', '-f', publicKey], { encoding: 'utf8' });
  return stdout.split(' ')[1] ?? '';
}
