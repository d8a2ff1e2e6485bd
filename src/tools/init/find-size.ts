/** Finds the parameter for the page size, and a page size that the API accepts. */
import { type ExactObject, fromPlain } from '../../core/json/exact.js';
import { limitNames } from './known-names.js';
import { ask, findName, isRejected, type Search, type SizeParameter } from './trials.js';

/** Largest of the small pages on which pagination is tried. */
const smallPage = 10;

/** Finds the parameter; its value is a small page. Undefined: no known name changes the number of items. */
export async function findSize(search: Search): Promise<SizeParameter | undefined> {
  const { ids, hints } = search;
  if (ids.length < 2) return undefined;
  const names = [...(hints.limit ?? []), ...namesInAnswer(search), ...limitNames];
  const name = await findName(search, {
    names,
    most: Math.min(24, ids.length - 1),
    params: (tested) => new Map(tested.map((each, index) => [each, fromPlain(index + 1)])),
    read: (trial, tested) => {
      const got = trial.pages[0]?.items.length ?? 0;
      return got > 0 && got <= tested.length && got < ids.length ? got - 1 : undefined;
    },
  });
  if (name === undefined) return undefined;
  return { name, value: Math.min(smallPage, Math.max(1, Math.floor(ids.length / 2))) };
}

/** Figures of the answer that equal the number of items: an API often names them as the parameter. */
const namesInAnswer = ({ evidence, ids }: Search): readonly string[] =>
  evidence.figures
    .filter(({ value, name }) => Number(value) === ids.length && limitNames.includes(name))
    .map(({ name }) => name);

/** A page size for the configuration. */
export interface ChosenSize {
  readonly value: number;
  /** What was asked, and what the API gave. */
  readonly note: string;
  /** The API has given that many items. */
  readonly isVerified: boolean;
  /** The items that the largest page gave, where the value is above them: the list may end there, or the pages. */
  readonly given?: number;
}

/** What is asked for once, unless a document says otherwise. */
const largeSize = 1000;
const roundSizes = [1000, 500, 250, 200, 100, 50, 25, 20];
/** Few APIs have a lower maximum. */
const modestSize = 20;

/** Asks for a large page once, and chooses a size that the API has shown to give. */
export async function chooseSize(search: Search, { name }: SizeParameter): Promise<ChosenSize> {
  const asked = search.hints.maximum ?? largeSize;
  let { trial, got } = await askFor(search, name, asked);
  if (isRejected(trial)) {
    const most = maximumIn(trial.last?.body) ?? 100;
    ({ trial, got } = await askFor(search, name, most));
    if (got > 0) return sizeFrom(most, got, search, `${asked} was rejected`);
  }
  if (got === 0) return { value: modestSize, isVerified: false, note: 'no larger page could be requested' };
  return sizeFrom(asked, got, search, `asked for ${asked}`);
}

/** A page size for a list without pages: as many items as one request may get. */
export async function wholeSize(
  search: Search,
  { name }: SizeParameter,
): Promise<ChosenSize & { readonly isFull?: boolean }> {
  const asked = search.hints.maximum ?? largeSize;
  const { trial, got } = await askFor(search, name, asked);
  if (isRejected(trial)) return chooseSize(search, { name, value: asked });
  if (got === 0) return { value: modestSize, isVerified: false, note: 'no larger page could be requested' };
  return { value: asked, isVerified: true, note: `asked for ${asked}, and got ${got}`, isFull: got >= asked };
}

async function askFor(search: Search, name: string, value: number) {
  const params: ExactObject = new Map([[name, fromPlain(value)]]);
  const trial = await ask(search, { params });
  return { trial, got: trial.failure === undefined ? (trial.pages[0]?.items.length ?? 0) : 0 };
}

/** Fewer items than asked for are the maximum of the API, or the whole list: both are safe. */
function sizeFrom(asked: number, got: number, { evidence: { total } }: Search, why: string): ChosenSize {
  const isWhole = total?.value === got;
  if (got >= asked) return { value: asked, isVerified: true, note: `${why}, and got ${got}` };
  const isMaximum = !isWhole && (roundSizes.includes(got) || (total !== undefined && total.value > got));
  if (isMaximum) return { value: got, isVerified: true, note: `${why}, and got ${got}: the maximum` };
  const round = roundSizes.find((each) => each <= got && each <= 500);
  if (round !== undefined) return { value: round, isVerified: true, note: `${why}, and got all ${got} items` };
  const note = `the list has only ${got} items, so no maximum is known`;
  return { value: modestSize, isVerified: false, note, ...(isWhole ? {} : { given: got }) };
}

/** `limit must be at most 100`: the number in the message of an error. */
function maximumIn(body: Uint8Array | undefined): number | undefined {
  const text = Buffer.from(body?.subarray(0, 4096) ?? []).toString();
  const found =
    /(?:at most|max(?:imum)?\w*|less than(?: or equal(?: to)?)?|<=|no (?:more|greater) than|exceeds?|up to|\d+ (?:and|to|-))\D{0,30}(\d{1,5})/i.exec(
      text,
    );
  const value = Number(found?.[1] ?? 0);
  return value > 0 ? value : undefined;
}
