/** Reports requests and logins to an observer: from the moment a request is sent to the end of its response. */
import { defer, type Observable, tap } from 'rxjs';
import type { Authenticator } from '../auth/types.js';
import { asExtractError } from '../core/errors/errors.js';
import { originOf } from '../core/url/url.js';
import { remember } from '../core/util/remember.js';
import type { LoginWatch, RequestWatch, RunObserver, ServerAddress } from './observer.js';
import type { Handler, HttpBody } from './types.js';

type Mask = (text: string) => string;

/** The same handler; the observer follows each request. Waits for rates and logins are before it. */
export function observeRequests(send: Handler, observer: RunObserver, mask: Mask): Handler {
  const serverOf = remember((origin) => serverAt(origin, mask));
  const nameOf = remember(mask);
  return async (request, context) => {
    const server = serverOf(originOf(request.url));
    const job = context.owner?.name;
    const watch = observer.request({
      method: request.method,
      server,
      ...(job === undefined ? {} : { job: nameOf(job) }),
    });
    try {
      const response = await send(request, context);
      watch.responds(response.status);
      return { ...response, body: observed(response.body, watch) };
    } catch (thrown) {
      watch.ends(asExtractError(thrown).code);
      throw thrown;
    }
  };
}

/** A body ends once: when it was read, when reading failed, or when the rest is not read. */
function observed(body: HttpBody, watch: RequestWatch): HttpBody {
  let isOver = false;
  const end = (code?: string) => {
    if (isOver) return;
    isOver = true;
    watch.ends(code);
  };
  return {
    async read(take, endFile) {
      try {
        await body.read(take, endFile);
        end();
      } catch (thrown) {
        end(asExtractError(thrown).code);
        throw thrown;
      }
    },
    cancel() {
      body.cancel();
      end();
    },
  };
}

/** The same authenticator; the observer follows its logins. */
export function observeLogins<Own extends Authenticator | undefined>(
  authenticator: Own,
  observer: RunObserver,
  baseUrl: string,
  mask: Mask,
): Own {
  const login = authenticator?.login;
  if (login === undefined) return authenticator;
  const server = serverAt(originOf(baseUrl), mask);
  const obtain: typeof login.obtain = (send) => following(login.obtain(send), () => observer.login(server));
  return { ...authenticator, login: { ...login, obtain } };
}

function following<T extends { readonly expiresAt: number }>(
  source: Observable<T>,
  begin: () => LoginWatch,
): Observable<T> {
  return defer(() => {
    const watch = begin();
    return source.pipe(
      tap({ next: (value) => watch.succeeds(value), error: (thrown) => watch.fails(asExtractError(thrown).code) }),
    );
  });
}

function serverAt(origin: string, mask: Mask): ServerAddress {
  const { protocol, hostname, port } = new URL(origin);
  return { host: mask(hostname), port: port === '' ? (defaultPorts[protocol] ?? 0) : Number(port) };
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
