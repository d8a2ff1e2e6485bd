/** Programs that check files of other tools. `.ci/run` installs them. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program, in the folder of RXTRACT_SERVERS or where programs are; undefined if it is not there. */
export function linter(name: string): string | undefined {
  const { RXTRACT_SERVERS: own = '', PATH = '' } = process.env;
  const folders = [own, join(own, 'hadolint', 'bin'), ...PATH.split(delimiter)].filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
