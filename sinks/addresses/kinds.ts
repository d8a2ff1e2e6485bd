/** The kinds of options that only addresses of sinks have. */
import { type Kind, kind } from '../../src/core/options/kind.js';
import { nonEmptyText } from '../../src/core/options/kinds.js';
import { isPlain } from '../../src/core/options/object-kinds.js';
import { credentialsIn } from '../../src/core/secrets/known-secrets.js';
import { decodeText } from './address.js';
import { isPem } from './address-secrets.js';

/** A text that stays percent-encoded, in code too, because its parts are decoded one by one. */
const encodedText = (expected: string): Kind<string> => ({
  ...nonEmptyText,
  text: { read: (text) => text, expected, isEncoded: 'in code too' },
});

/** A name with `{dataType}`, `{job}` and `{item.PATH}`; `%7B` is a brace. */
export const template = encodedText('a name');

/** Paths such as `id,org.id`, in which `%2C` and `%2E` are a comma and a dot of a name. */
export const keyPaths = encodedText('paths');

/** One name after the host, in which a slash is written `%2F`. In code it is the name as it is. */
export const pathName: Kind<string> = {
  ...nonEmptyText,
  text: {
    read: (text) => (text.includes('/') ? undefined : decodeText(text)),
    expected: 'one name, in which a slash is written %2F',
    isEncoded: 'in text',
  },
};

/** `HOST:PORT`, several with commas; in code also a list of them. */
export const hosts = kind<string | readonly string[]>(
  'HOST:PORT, or a list of them',
  (value) => [value].flat().every((each) => typeof each === 'string' && each !== '') && String(value) !== '',
  { schema: { type: ['string', 'array'] }, text: { read: (text) => text, expected: 'HOST:PORT' } },
);

/** A certificate or a list of them: a file, or its text. */
export const pem: Kind<string> = { ...nonEmptyText, text: { read: (text) => text, expected: 'a file (PEM)' } };

/** A private key: a file, or its text, which is a secret. */
export const pemKey: Kind<string> = {
  ...pem,
  secretsIn: (value) => (typeof value === 'string' && isPem(value) ? [value] : []),
};

/** Headers by name. Each value is a secret, and so are the credentials in it. */
export const headers: Kind<Readonly<Record<string, string>>> = {
  ...kind<Readonly<Record<string, string>>>(
    'texts by name',
    (value) => isPlain(value) && Object.values(value).every((each) => typeof each === 'string'),
    { schema: { type: 'object' }, text: { read: (text) => text, expected: 'a text' } },
  ),
  secretsIn(value) {
    const texts = isPlain(value) ? Object.values(value) : [value];
    return texts.flatMap((text) => (typeof text === 'string' ? [text, ...credentialsIn(text)] : []));
  },
};
