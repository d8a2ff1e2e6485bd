/** A folder as the current one, for commands that run in the process of the test. */

/** The test of a file run one after the other, and files in processes of their own. */
export async function inCwd<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await work();
  } finally {
    process.chdir(before);
  }
}
