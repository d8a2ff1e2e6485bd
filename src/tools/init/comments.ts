/** The comments of a configuration that `init` writes: what each part is, and how sure it is. */
import type { Draft } from './draft.js';
import type { FoundIncremental } from './find-incremental.js';
import { type FoundList, pathText } from './find-lists.js';
import type { FoundPaging } from './find-paging.js';
import type { Look } from './first-look.js';
import type { FoundRate } from './rate-headers.js';
import type { Comments } from './write-config.js';

interface Commented {
  readonly draft: Draft;
  readonly list: FoundList;
  readonly look: Look;
  readonly key: string | undefined;
  readonly paging: FoundPaging;
  readonly rate: FoundRate | undefined;
  readonly incremental: FoundIncremental | undefined;
}

/** The comments by path. They name members and figures of the API, and no value of the request. */
export function commentsOf({ draft, list, look, key, paging, rate, incremental }: Commented): Comments {
  const job = 'config.jobs[0]';
  const others = look.lists.filter((each) => each !== list).map(({ path }) => pathText(path));
  const { size, pagination } = paging;
  const variables = Object.keys(draft.env);
  const sizePlace = pagination?.has('limit') === true ? 'api.pagination' : `${job}.params`;
  const ofSize = size === undefined ? [] : [`"${size.name}" is the page size: ${size.note}`];
  const hasParams = [...draft.params.keys(), ...paging.params.keys()].some((name) => name !== incremental?.param);
  return {
    '': ['Written by rxtract init. `rxtract preview` shows the first page, `rxtract run` writes all items.'],
    'api.authentication': variables.length === 0 ? [] : ['Set the variables before each run; the file has no secret.'],
    'api.http.rateLimit': rate?.rate === undefined ? [] : ['As the responses of the API state it.'],
    'api.pagination': [
      `${capital(paging.what)}: ${paging.certainty === 'proven' ? 'proven by a second page.' : 'likely, not proven.'}`,
      ...(sizePlace === 'api.pagination' ? ofSize : []),
    ],
    ...(hasParams ? { [`${job}.params`]: sizePlace === 'api.pagination' ? [] : ofSize } : {}),
    ...(incremental === undefined
      ? {}
      : {
          [`${job}.incremental`]: [
            'Proven by a request. With --state, a run asks for what is new.',
            ...incremental.notes,
          ],
        }),
    ...(draft.await === undefined
      ? {}
      : {
          [`${job}.await`]: ['Proven: the report was created once, polled until it was done, and its items were read.'],
          [`${job}.await.failed`]: ['Usual words, of which none was seen: compare them with the documentation.'],
          [`${job}.await.fetch`]: [`Pagination: ${paging.what}.`],
        }),
    [`${job}.endpoint`]: pagination === undefined ? [`Pagination: ${paging.what}.`] : [],
    ...(draft.response === undefined
      ? {}
      : { [`${job}.response`]: ['Of the first response; see `rxtract help response`.'] }),
    [`${job}.dataField`]: [
      ...(list.kind === 'map' ? ['The object is one item.'] : []),
      ...(others.length === 0 ? [] : [`Other lists of the response: ${others.join(', ')}.`]),
    ],
    [`${job}.dataType`]: [
      `The name of the data and of its file.${key === undefined ? '' : ` Each item has its own "${key}", a key for a table.`}`,
    ],
  };
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
