/** Reads the configuration of a real API as it is in examples/apis. */
import { type EntryHead, readHead } from '../catalog/entry-head.js';
import { readLikeFile } from './like-files.js';

export interface RealConfiguration extends EntryHead {
  readonly text: string;
}

/** Reads the configuration of an entry of the catalogue. */
export async function readLike(name: string): Promise<RealConfiguration> {
  const text = await readLikeFile(name);
  return { text, ...readHead(text) };
}
