/** Reports each request before it goes out, while a configuration is debugged. */
import type { Notify } from '../../core/model/notice.js';
import type { Secrets } from '../../core/model/secrets.js';
import { describeRequest } from '../../core/secrets/secrets.js';
import type { Interceptor } from '../types.js';

export interface AnnounceOptions {
  readonly notify: Notify;
  readonly secrets: Secrets;
}

/** Before credentials are put on: what they add is not shown. */
export function announce({ notify, secrets }: AnnounceOptions): Interceptor {
  return (next) => (request, context) => {
    notify({ level: 'info', code: 'request', message: describeRequest(request, secrets) });
    return next(request, context);
  };
}
