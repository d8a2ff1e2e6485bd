/** Who may use the page: a browser on this machine that has its token, on a page of its own. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface PageRefusal {
  readonly status: 401 | 403;
  readonly text: string;
}

export interface PageKeys {
  /** Opens the page, and is in the header of each of its requests. */
  readonly token: string;
  /** Opens the page once: other users of the machine see the address with which a browser is started. */
  once(): string;
}

export interface AskedPlace {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Of the query. */
  readonly token: string | null;
  readonly isPage: boolean;
}

export interface PageAccess extends PageKeys {
  /** Undefined: the request may be answered. */
  refusalOf(asked: AskedPlace, port: number): PageRefusal | undefined;
}

export function createPageAccess(): PageAccess {
  const token = randomToken();
  const unused = new Set<string>();
  const opens = (given: string | null): boolean => {
    if (given === null) return false;
    const single = [...unused].find((each) => isSame(each, given));
    if (single !== undefined) unused.delete(single);
    return single !== undefined || isSame(token, given);
  };
  return {
    token,
    once() {
      const single = randomToken();
      unused.add(single);
      return single;
    },
    refusalOf({ headers, token: given, isPage }, port) {
      const own = [`127.0.0.1:${port}`, `localhost:${port}`];
      const { host, origin = `http://${host}`, authorization, 'sec-fetch-site': site = 'none' } = headers;
      if (!own.includes(String(host))) return refused('this address is not that of the page');
      if (origin !== `http://${host}` || !['none', 'same-origin'].includes(String(site))) {
        return refused('a request of another site: copy the address that the command has printed into the browser');
      }
      const isOpened = isPage ? opens(given) : isSame(`Bearer ${token}`, String(authorization));
      return isOpened ? undefined : { status: 401, text: 'open the address that the command has printed' };
    },
  };
}

const refused = (text: string): PageRefusal => ({ status: 403, text });

const randomToken = (): string => randomBytes(24).toString('base64url');

/** In a time that does not depend on the texts. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
