/** Reads the request of `init` from its arguments: by the form of SOURCE. */
import { usageError } from '../../core/util/check-value.js';
import type { ParsedArguments } from '../arguments.js';
import type { Shell } from '../shell.js';
import type { Questions } from './ask.js';
import type { FoundRequest } from './found-request.js';
import { readUrl } from './url-source.js';

/** Throws ERR_USAGE for a source that is none, or that cannot be read. */
export async function readSource(args: ParsedArguments, shell: Shell, _questions: Questions): Promise<FoundRequest> {
  const [source, extra] = args.positionals;
  if (source === undefined) {
    throw usageError('SOURCE is missing: the URL of an API, such as rxtract init https://api.example.com/v1/users');
  }
  if (extra !== undefined)
    throw usageError(`expected one SOURCE, found "${extra}" too: put quotes around an address with &`);
  return readUrl(source, { headers: args.list('header'), body: args.last('body'), env: shell.env });
}
