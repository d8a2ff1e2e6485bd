/** Reports requests and logins to what follows them: from the moment a request is sent to the end of its response. */
import { defer, type Observable, tap } from 'rxjs';
import type { Authenticator, Credentials } from '../auth/types.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import type { RequestWatch, ServerAddress } from '../core/model/request-watch.js';
import type { Secrets } from '../core/model/secrets.js';
import { replaceHeaders } from '../core/url/headers.js';
import { originOf } from '../core/url/url.js';
import { remember } from '../core/util/remember.js';
import type { LoginWatch, RunObserver } from './observer.js';
import type { Handler, HttpBody } from './types.js';

/**
 * The same handler; what watches the attempt follows each request. Waits for rates and logins are before it. `trusts`:
 * whether an origin gets headers of its own.
 */
export function observeRequests(
  send: Handler,
  { mask, maskUrl }: Pick<Secrets, 'mask' | 'maskUrl'>,
  trusts: (url: string) => boolean,
): Handler {
  const serverOf = remember((origin) => serverAt(origin, mask));
  return async (request, context) => {
    if (context.watch === undefined) return send(request, context);
    const { method, url, headers } = request;
    const watch = context.watch.request({ method, server: serverOf(originOf(url)), url: () => maskUrl(url) });
    const more = watch.headers !== undefined && trusts(url) ? watch.headers : undefined;
    try {
      const sent = more === undefined ? request : { ...request, headers: replaceHeaders(headers, more) };
      const response = await send(sent, context);
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

/** The same authenticator; the observer follows its logins, and their requests. */
export function observeLogins<Own extends Authenticator | undefined>(
  authenticator: Own,
  observer: Pick<RunObserver, 'login'>,
  baseUrl: string,
  mask: Secrets['mask'],
): Own {
  const login = authenticator?.login;
  if (login === undefined) return authenticator;
  const server = serverAt(originOf(baseUrl), mask);
  const obtain: typeof login.obtain = (send) =>
    defer(() => {
      const watch = observer.login(server);
      return following(
        login.obtain((request) => send({ ...request, watch })),
        watch,
      );
    });
  return { ...authenticator, login: { ...login, obtain } };
}

/** A login has one value: an unsubscription after it is no interruption. */
function following(login: Observable<Credentials>, watch: LoginWatch): Observable<Credentials> {
  let isOver = false;
  return login.pipe(
    tap({
      next(credentials) {
        isOver = true;
        watch.succeeds(credentials);
      },
      error: (thrown) => watch.fails(thrown),
      unsubscribe() {
        if (!isOver) watch.fails(new ExtractError('ERR_ABORTED', 'the login was interrupted'));
      },
    }),
  );
}

function serverAt(origin: string, mask: Secrets['mask']): ServerAddress {
  const { protocol, hostname, port } = new URL(origin);
  return { host: mask(hostname), port: port === '' ? defaultPort(protocol) : Number(port) };
}

/** Requests go over HTTP and HTTPS alone. */
const defaultPort = (protocol: string): number => (protocol === 'http:' ? 80 : 443);
