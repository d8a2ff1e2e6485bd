/** When a request is really sent. undici tells a handler as it writes the request to a connection that stands: name, connect, tunnel and TLS lie behind it then. */
import type { Dispatcher } from 'undici';

/** How dispatchers of undici 7 and of older ones say it. */
const tellings: ReadonlySet<unknown> = new Set(['onRequestStart', 'onConnect']);

/** Sends through the dispatcher; `onSending` is called as the request goes out, for each time where the dispatcher asks again by itself. */
export function requestWithSendHook(
  dispatcher: Dispatcher,
  options: Dispatcher.RequestOptions & { readonly signal: AbortSignal },
  onSending: () => void,
): Promise<Dispatcher.ResponseData> {
  // What was aborted while it waited for its connection is not sent when that comes, though the handler is told.
  const tell = () => {
    if (!options.signal.aborted) onSending();
  };
  const dispatch: Dispatcher.Dispatch = (request, handler) => dispatcher.dispatch(request, telling(handler, tell));
  const asking = new Proxy(dispatcher, {
    get: (target, name) => (name === 'dispatch' ? dispatch : Reflect.get(target, name)),
  });
  return asking.request(options);
}

/** The handler, listened to: whichever of the two kinds it is, it stays that. */
function telling<T extends object>(handler: T, onSending: () => void): T {
  return new Proxy(handler, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: readonly unknown[]) => {
        if (tellings.has(name)) onSending();
        return Reflect.apply(value, target, given);
      };
    },
  });
}
