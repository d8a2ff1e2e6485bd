/** Opens an address in the browser of the user, where there is one. */
import { type ChildProcess, spawn } from 'node:child_process';

/** `platform`: of Node. Returns the program and its arguments. */
export function browserCommand(platform: string, address: string): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open', address];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', address];
  return ['xdg-open', address];
}

/** Without a browser nothing happens: the address was printed. */
export function openBrowser([program, ...words]: readonly [string, ...string[]]): ChildProcess {
  const child = spawn(program, words, { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
  return child;
}
