/** The file of passwords of PostgreSQL, `~/.pgpass`: read here, so that its password is known as a secret. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { SinkEnvironment } from '../addresses/address.js';
import type { AddressSecrets } from '../addresses/address-secrets.js';
import { settingOf } from '../addresses/environment.js';
import { type HostAndPort, hostText } from '../addresses/server-address.js';

/** Whose password it is. */
export interface PasswordOwner extends HostAndPort {
  readonly database: string;
  readonly user: string;
}

/**
 * Returns the password of the first line that fits, which is a secret from then on. Rejects with ERR_SINK if there is
 * none, or if others may read the file. The rules are those of libpq: "The Password File" in its documentation.
 */
export async function passwordIn(
  owner: PasswordOwner,
  env: SinkEnvironment,
  { hide }: Pick<AddressSecrets, 'hide'>,
  platform: string = process.platform,
): Promise<string> {
  const path = fileOf(env, platform);
  const info = await stat(path).catch(() => undefined);
  const isOpenToOthers = platform !== 'win32' && ((info?.mode ?? 0) & 0o077) !== 0;
  if (info?.isFile() !== true) throw noPassword(owner, '');
  if (isOpenToOthers) throw noPassword(owner, `; ${path} is not read, because others have access to it (chmod 600)`);
  const text = await readFile(path, 'utf8').catch(() => '');
  const found = text.split(/\r?\n/).map((line) => passwordOf(line, owner));
  const password = found.find((each) => each !== undefined && each !== '');
  if (password === undefined) throw noPassword(owner, `; no line of ${path} fits`);
  hide(password);
  return password;
}

function fileOf(env: SinkEnvironment, platform: string): string {
  const given = settingOf(env, 'PGPASSFILE');
  if (given !== undefined) return given;
  if (platform === 'win32') return join(settingOf(env, 'APPDATA') ?? '.', 'postgresql', 'pgpass.conf');
  return join(settingOf(env, 'HOME') ?? '.', '.pgpass');
}

/** A field: a backslash is before a colon or a backslash of its value. */
const field = String.raw`((?:\\.|[^:\\])*):`;
const entry = new RegExp(`^${field.repeat(4)}(.*)$`, 's');

/** The password of a line `host:port:database:user:password`; `*` is any value. */
function passwordOf(line: string, { host, port, database, user }: PasswordOwner): string | undefined {
  const fields = (line.startsWith('#') ? undefined : entry.exec(line))?.slice(1).map(unescaped) ?? [];
  const wanted = [host, String(port), database, user];
  return wanted.every((each, index) => fields[index] === '*' || fields[index] === each) ? fields[4] : undefined;
}

const unescaped = (text: string): string => text.replace(/\\([:\\])/g, '$1');

function noPassword(owner: PasswordOwner, why: string): ExtractError {
  const message = `postgres: ${hostText(owner)} asks for the password of "${owner.user}", and none is given${why}`;
  const remedy = 'Set PGPASSWORD, or add a line to ~/.pgpass, which others may not read (chmod 600).';
  return new ExtractError('ERR_SINK', message, { remedy });
}
