/** The entry of a process that makes one run of a rehearsal, and is killed in it. */
import { parseDocument } from '../../config/document.js';
import type { RehearsedRun } from './rehearsed-run.js';

/** A run as its process gets it: the configuration as text. */
export interface SentRun extends Omit<RehearsedRun, 'content'> {
  readonly text: string;
}

process.once('message', async ({ text, ...rest }: SentRun) => {
  const { rehearsedRun } = await import('./rehearsed-run.js');
  await rehearsedRun({ ...rest, content: parseDocument(Buffer.from(text), 'the configuration') });
  process.exit();
});
process.once('disconnect', () => process.exit());
