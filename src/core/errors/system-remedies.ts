/** What to do about an error of the system that a sink met, by its code. */
import { systemError } from './system-error.js';

const room = 'Free some space on that disk, or write to another one.';
const rights =
  'Check the rights of the path in the message and of the user that runs rxtract, or write to another place.';
const place = 'Check the path in the message, or write to another place.';
const server = 'Check host and port of `--to`, and that the server runs and can be reached from here.';

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: room,
  EDQUOT: room,
  EFBIG: 'Files of that size are not allowed: raise the limit (`ulimit -f`), or write to another file system.',
  EACCES: rights,
  EPERM: rights,
  EROFS: rights,
  ENOENT: place,
  ENOTDIR: place,
  EEXIST: place,
  EISDIR: place,
  ENAMETOOLONG: place,
  ELOOP: place,
  EINVAL: place,
  EMFILE: 'Raise the limit of open files (`ulimit -n`).',
  ENFILE: 'The system has too many open files: close some.',
  EPIPE: 'The reader of the output has ended: run again with a reader that takes all of it.',
  ECONNREFUSED: server,
  ENOTFOUND: server,
  EAI_AGAIN: server,
  ETIMEDOUT: server,
  EHOSTUNREACH: server,
  ENETUNREACH: server,
  ECONNRESET: server,
  EIO: 'The disk or its connection fails: check it, or write to another one.',
};

/** The remedy for a system error; undefined: it is none, or no remedy is known for its code. */
export function systemRemedy(thrown: unknown): string | undefined {
  const code = systemError(thrown)?.code;
  return code === undefined || !Object.hasOwn(remedies, code) ? undefined : remedies[code];
}
