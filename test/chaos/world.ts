/** The data of a chaos run's API: lists by address with children, all made from the seed. */
import { createDice, type Dice } from './dice.js';

export interface Listing {
  /** How one page leads to the next, as the configuration names it. */
  readonly scroller: 'pages' | 'cursor' | 'links';
  readonly pages: readonly (readonly object[])[];
  /** The last page is repeated for ever, as by some APIs: a page identical to the one before it ends the job. */
  readonly repeatsLast: boolean;
}

export interface World {
  readonly pageSize: number;
  /** Lists by links without children request the next page while a page arrives. */
  readonly overlaps: boolean;
  /** The configuration of all jobs, for the API at this origin. */
  readonly configuration: (origin: string) => object;
  readonly listing: (path: string) => Listing | undefined;
}

export const password = 'open sesame & "more"/9';
const pageSize = 5;

/**
 * Flat lists in three ways of paging, two of them of one data type, and a list with children and grandchildren.
 * `isEarlier`: as it was some time before, with other items, of which many have the same ids.
 */
export function createWorld(seed: number, { isEarlier = false } = {}): World {
  const dice = isEarlier ? createDice(seed).apart('earlier') : createDice(seed);
  const sizes = {
    users: dice.between(2, 9),
    events: dice.between(0, 60),
    north: dice.between(1, 25),
    south: dice.between(1, 25),
  };
  const listing = (path: string): Listing | undefined => {
    const own = dice.apart(path);
    const parts = path.split('/');
    if (parts.length > 1 && !parts.slice(0, -1).every((part) => /^[a-z\d-]+$/.test(part))) return undefined;
    switch (parts.at(-1)) {
      case 'users':
        return listOf(own, 'cursor', sizes.users, (id) => ({ id: `u-${id}`, name: nameOf(own), score: own.roll() }));
      case 'events':
        return listOf(own, 'pages', sizes.events, (id) => ({
          id,
          text: 'event '.repeat(own.between(0, 60)),
          big: bigNumber(own),
          ...(own.happens(0.7) && { parts: partsOf(own) }),
        }));
      case 'logs':
        return listOf(own, 'links', parts[0] === 'north' ? sizes.north : sizes.south, (id) => ({
          id: parts[0] === 'north' ? id : id + 1000, // unique in the data type, for sinks that merge
          where: parts[0],
        }));
      case 'orders':
        return listOf(own, 'links', own.between(0, 11), (id) => ({ id: `${parts[1]}-o${id}`, open: own.happens(0.5) }));
      case 'lines':
        return listOf(own, 'cursor', own.between(0, 7), (id) => ({ id: `${parts[1]}-l${id}`, name: nameOf(own) }));
      default:
        return undefined;
    }
  };
  const overlaps = dice.happens(0.5);
  return { pageSize, overlaps, listing, configuration: (origin) => configurationAt(origin, overlaps) };
}

export function listOf(
  dice: Dice,
  scroller: Listing['scroller'],
  size: number,
  item: (id: number) => object,
  perPage = pageSize,
): Listing {
  const items = Array.from({ length: size }, (_, index) => item(index + 1));
  const pages = Array.from({ length: Math.max(1, Math.ceil(size / perPage)) }, (_, page) =>
    items.slice(page * perPage, (page + 1) * perPage),
  );
  return { scroller, pages, repeatsLast: scroller === 'cursor' && size > 0 && dice.happens(0.3) };
}

/** A list of lists, which some sinks make tables of. */
const partsOf = (dice: Dice): readonly object[] =>
  Array.from({ length: dice.between(0, 3) }, (_, at) => ({
    at,
    of: Array.from({ length: dice.between(0, 2) }, () => nameOf(dice)),
  }));

const nameOf = (dice: Dice): string => dice.pick(['Ada', 'Zoë "Z"', 'Łukasz\\', '名前', 'a\u2028b', '\u{1f980}']);
const bigNumber = (dice: Dice): string => String(dice.between(1, 2 ** 31)).padStart(24, '9');

export function configurationAt(origin: string, overlap: boolean, limit = pageSize) {
  const pagination = { method: 'response.url', urlKey: 'links.next', overlap };
  return {
    api: {
      baseUrl: `${origin}/`,
      authentication: {
        type: 'login',
        loginRequest: { endpoint: 'login', method: 'POST', params: { password: { attr: '#password' } } },
        apiRequest: { headers: { 'X-Token': { response: 'token' } } },
        expires: { response: 'lifetime', relative: true },
      },
      pagination: {
        method: 'multiple',
        default: 'pages',
        scrollers: {
          pages: { method: 'pagenum', limit },
          cursor: { method: 'response.param', responseParam: 'next', queryParam: 'from' },
          links: { method: 'response.url', urlKey: 'links.next' },
        },
      },
      http: { requestTimeout: 5 },
    },
    config: {
      '#password': password,
      jobs: [
        { endpoint: 'events', dataField: 'rows' },
        { endpoint: 'north/logs', dataField: 'rows', dataType: 'logs', pagination },
        { endpoint: 'south/logs', dataField: 'rows', dataType: 'logs', pagination },
        {
          endpoint: 'users',
          dataField: 'rows',
          scroller: 'cursor',
          children: [
            {
              endpoint: 'users/{user}/orders',
              dataField: 'rows',
              dataType: 'orders',
              scroller: 'links',
              placeholders: { user: 'id' },
              children: [
                {
                  endpoint: 'orders/{order}/lines',
                  dataField: 'rows',
                  dataType: 'lines',
                  scroller: 'cursor',
                  recursionFilter: 'open==1',
                  placeholders: { order: 'id' },
                },
              ],
            },
          ],
        },
      ],
    },
  };
}
