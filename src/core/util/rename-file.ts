/** Renames a file. On Windows this fails for a moment while another program, such as a virus scanner, has it open. */
import { rename } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { systemError } from '../errors/system-error.js';

export interface RenameSystem {
  readonly platform: string;
  rename(from: string, to: string): Promise<void>;
  wait(ms: number): Promise<unknown>;
}

const own: RenameSystem = { platform: process.platform, rename, wait: setTimeout };

/** In ms, before each further try: 2.3 s in total. */
const waits = [10, 30, 100, 300, 600, 1200];

/** What Windows says of a file that is open elsewhere, and also of one that may not be changed. */
const isHeld = (thrown: unknown): boolean => ['EACCES', 'EPERM', 'EBUSY'].includes(systemError(thrown)?.code ?? '');

/** Renames a file or a folder, and replaces a file of that name. On Windows it tries again for two seconds. */
export async function renameFile(from: string, to: string, system: RenameSystem = own): Promise<void> {
  for (const ms of system.platform === 'win32' ? waits : []) {
    try {
      return await system.rename(from, to);
    } catch (thrown) {
      if (!isHeld(thrown)) throw thrown;
    }
    await system.wait(ms);
  }
  await system.rename(from, to);
}
