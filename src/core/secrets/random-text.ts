/**
 * Distinguishes random texts, as keys and tokens are, from those that people write. It compares two explanations of a
 * text: how many bits it costs as words and numbers, and how many as random characters of its alphabet.
 */

/** Whether the text, or a part of it between blanks and signs, is more likely random than written. */
export function looksRandom(text: string): boolean {
  if (knownForms.some((form) => form.test(text))) return true;
  if (text.length >= leastPunctuated && signsOf(text) > 2 && hasFewWords(text)) return true;
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll(moment, ' ').replaceAll(quality, ' ');
  const keys = [...(plain.match(/[\w.~+/=!-]+/g) ?? []), ...(plain.match(/[A-Za-z\d]+/g) ?? [])];
  return keys.some((key) => isRandomPart(key, ofKey)) || (plain.match(/[^\s/]+/g) ?? []).some(isRandomMixture);
}

/** Signs between few words, as in generated passwords: queries have words between theirs. */
function isRandomMixture(part: string): boolean {
  return signsOf(part) > 0 && isRandomPart(part, hasFewWords(part) ? ofKey : ofQuery);
}

/** User information of a URL, a JWT, a UUID, a hexadecimal digest, PEM: short for the comparison, or too regular. */
const knownForms: readonly RegExp[] = [
  /:\/\/[^/?#\s@]*@/,
  /\beyJ[\w-]{8,}/,
  /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/i,
  /\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{16,}\b/i,
  /-----BEGIN /,
];

/** A date, perhaps with its time, also without separators. */
const moment =
  /(?<![\w.])(?:\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?|\d{8}T\d{6}Z?)(?![\w.])/g;

/** Of a header such as `Accept-Language`. RFC 9110 12.4.2. */
const quality = /;\s*q=[01](?:\.\d{1,3})?/g;

/** In bits: a weaker text is no key, and its written explanation must be so much longer than the random one. */
interface Least {
  readonly strength: number;
  readonly gain: number;
}
const ofKey: Least = { strength: 44, gain: 6 };
const ofQuery: Least = { strength: 80, gain: 20 };

/** Digits have no words to compare with: a long number that is no time in milliseconds counts as random. */
const longNumber = /(?<!\d)(?!1\d{12}(?!\d))\d{13}/;

/** The longer a text, the less must its written explanation exceed the random one. */
function isRandomPart(part: string, least: Least): boolean {
  if (!/[A-Za-z]/.test(part)) return longNumber.test(part);
  if (/^(?:[A-Z]{1,5}\.)+[A-Z]{1,5}$/.test(part)) return false; // a code such as NY.GDP.MKTP.CD
  const strength = randomBits(part);
  if (strength < least.strength) return false;
  return writtenBits(part) - strength >= Math.max(least.gain - (strength - least.strength) / 8, -16);
}

/** Of as many random digits, small letters, capitals and signs. With digits, letters up to F are base 16. */
function randomBits(text: string): number {
  const signs = text.replaceAll(/[A-Za-z\d]/g, '');
  const digits = text.match(/\d/g)?.length ?? 0;
  const letters = (all: RegExp, others: RegExp): readonly [count: number, kinds: number] => [
    text.match(all)?.length ?? 0,
    digits > 0 && !others.test(text) ? 6 : 26,
  ];
  const classes = [
    [digits, 10],
    letters(/[a-z]/g, /[g-z]/),
    letters(/[A-Z]/g, /[G-Z]/),
    [signs.length, new Set(signs).size],
  ] as const;
  return classes.reduce(
    (sum, [count, kinds]) => (count === 0 ? sum : sum + count * Math.log2((kinds * text.length) / count)),
    0,
  );
}

const ofDigit = Math.log2(10);
/** Of what joins words, and of any other sign. */
const [ofJoint, ofSign] = [3, 6];
/** What is unusual costs more: digits after letters, letters after digits, capitals in a word, words of few letters. */
const [toDigit, fromDigit, toCapital, fromCapitals, ofFragment] = [4, 5, 3, 4, 3];
const shortestWord = 3;

/** Of the text as words, numbers and signs. */
function writtenBits(text: string): number {
  let sum = 0;
  for (const [run] of text.matchAll(/[A-Za-z]+|\d+|[^A-Za-z\d]/g)) {
    if (isLetter(run)) sum += bitsOfLetters(run);
    else sum += /\d/.test(run) ? run.length * ofDigit : /[\s,.;:/_-]/.test(run) ? ofJoint : ofSign;
  }
  const toDigits = text.match(/[A-Za-z](?=\d)/g)?.length ?? 0;
  const toLetters = text.match(/\d(?=[A-Za-z])/g)?.length ?? 0;
  const fragments = text.match(/(?<![A-Za-z\d])[A-Za-z\d]{1,2}(?=[^A-Za-z\d])/g)?.length ?? 0;
  return sum + toDigits * toDigit + toLetters * fromDigit + fragments * ofFragment;
}

/** Of letters: a capital after a small letter begins a word, as in `pageSize`. */
function bitsOfLetters(letters: string): number {
  let sum = 0;
  let before = '';
  let length = 0;
  for (const letter of letters) {
    const isNew = before !== '' && isCapital(letter) && !isCapital(before);
    if (isNew) sum += toCapital + (length < shortestWord ? toCapital : 0);
    else if (length > 1 && isCapital(before) && !isCapital(letter)) sum += fromCapitals;
    sum += letterBits(isNew ? '' : before, letter);
    length = isNew ? 1 : length + 1;
    before = letter;
  }
  return sum;
}

const isLetter = (text: string): boolean => /^[A-Za-z]/.test(text);
const isCapital = (letter: string): boolean => letter < 'a';

/** Of a letter after another; after none it begins a word. */
const letterBits = (before: string, letter: string): number =>
  Number.parseInt(thirds[placeOf(before)]?.charAt(placeOf(letter) - 1) ?? '', 36) / 3;

/** From 1; 0: no letter. */
const placeOf = (letter: string): number => (letter === '' ? 0 : letter.toLowerCase().charCodeAt(0) - 96);

/**
 * Thirds of a bit that the letters from a to z cost, in base 36: in a row for the first letter of a word, then in one
 * for each letter before. From the words of documentation, and of the names of languages, countries and currencies in
 * 15 languages.
 */
const thirds = `cdbcdeggdkhedffcocadfihpnn leceplgoeoj9e8nfs9c9hjnoin 8kil9orm9kr8nsanzcdjaplsit
  9rgn9oz9dtdens7qudjaeuvxlr ahog5nlo7mqhnl9pzgcnenoqjl dmc9hhiqlqodf9lgl88dlimflo
  aplmablz6upctk9ozaigczzofz aolq7ngc9xnfkdbqzaekarqump 7wtm6srt9rqmio9nuckbeysviz
  cgcfdgfzspkde6bgrfbbrgumqh 7mql8yskaykpnk9jqp6pcmhyyy 8mli6knk7zljjiblzfbjfpizfx
  8kng7nmq7unaqpamzqfffltzcu 6drk7rsq9ssfgnaapqgpftrumz apcaaj8pbqilmidmvpa8ijtxkq
  hhffmjiyiojcb6hez8dedgfoqq 8snm8pohczpanq9dw8fcdrwrlz hwowwwwwrwwcwmwgwjnl1wwwwm
  8khg6mir9xijfhamsfcdekntgv dtcp8lvdaschmlddqmb8cmktis 9rho7ord6vyikncmybcffunufq
  cdefckgtetmbd8mdz9baomqoon 7qrz3slv8zzwpmdrzmknmzvulz 6osp8rmb8znipbapzccmtzptkx
  dpaz9mpf9kzoezh7zrj7zzzjjz 9iejcjjrbjledbc8ziaejlizil 7gnz4znk9jlgqlcmzqhnfnmzgg`.split(/\s+/);

const leastPunctuated = 16;

/** The number of kinds of signs, without those that join words. */
const signsOf = (text: string): number => new Set(text.replaceAll(/[\p{L}\p{M}\p{N}\s,.;:/_-]/gu, '')).size;

function hasFewWords(text: string): boolean {
  const words = text.match(/(?<![\p{L}\p{N}])[\p{L}\p{M}]{3,}(?![\p{L}\p{N}])/gu) ?? [];
  return words.filter(isWord).join('').length * 3 < text.length;
}

/** Random letters cost more. */
const isWord = (letters: string): boolean =>
  !/^[A-Za-z]+$/.test(letters) || bitsOfLetters(letters) < letters.length * 5;
