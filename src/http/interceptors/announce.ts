/** Reports each request before it is sent, in debug mode. */
import type { Notify } from '../../core/model/notice.js';
import type { Secrets } from '../../core/model/secrets.js';
import { describeRequest } from '../../core/secrets/secrets.js';
import type { Interceptor } from '../types.js';

export interface AnnounceOptions {
  readonly notify: Notify;
  readonly secrets: Secrets;
}

/** Runs before `authorize`, so the notice does not contain credentials. */
export function announce({ notify, secrets }: AnnounceOptions): Interceptor {
  return (next) => (request, context) => {
    notify({ level: 'info', code: 'request', message: describeRequest(request, secrets) });
    return next(request, context);
  };
}
