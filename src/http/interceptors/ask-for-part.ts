/** Asks for the rest of a file of which an earlier attempt has left the beginning. RFC 9110 13.1.5, 14.2. */
import { withHeader } from '../../core/url/headers.js';
import type { Interceptor } from '../types.js';

/** The whole file comes if it has changed. After `authorize`: other origins get these headers too. */
export function askForPart(): Interceptor {
  return (next) => (request, context) => {
    const part = context.file?.part;
    if (part === undefined) return next(request, context);
    const ranged = withHeader(request.headers, 'Range', `bytes=${part.from}-`);
    return next({ ...request, headers: withHeader(ranged, 'If-Range', part.version) }, context);
  };
}
