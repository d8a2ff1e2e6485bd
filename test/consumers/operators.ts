/** The operators over a user's own streams. */
import { lastValueFrom, type Observable, of, toArray } from 'rxjs';
import { fromAbortable, inTurn, inTurnBy, pull, renewing, retryTransient, scroll } from 'rxtract/operators';

interface Page {
  readonly rows: readonly string[];
  readonly next?: URL;
}

const visit = (url: URL): Observable<Page> =>
  fromAbortable(async (signal) => {
    const response = await fetch(url, { signal });
    // What an API sends has no type of its own.
    const rows = (await response.json()) as string[];
    return rows.length === 0 ? { rows } : { rows, next: new URL(`?after=${rows.at(-1)}`, url) };
  });

export const pages = of(new URL('https://api.example.com/')).pipe(
  scroll(visit),
  retryTransient((_, attempt) => (attempt < 3 ? 1000 * attempt : undefined)),
  toArray(),
);
export const count: number = (await lastValueFrom(pages)).length;

export const token = renewing(of({ value: 'abc', expiresAt: Number.POSITIVE_INFINITY }));
export const value: Observable<{ value: string }> = token.value;

export const turn = inTurn();
export const turnOf = inTurnBy<string>();
export const leave = await turn.acquire();
leave();
turnOf('a')(of(1)).subscribe((one: number) => console.log(one));

async function* words() {
  yield 'one';
}
export const lengths: Observable<number> = pull(words(), async (word) => word.length);
