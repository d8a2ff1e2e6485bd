/** The references of expressions, as they are described; src/expression/reference.ts follows them. requests.md 4.3. */
import type { Reference } from '../fields.js';

interface ReferenceForm {
  readonly summary: string;
  readonly rules: readonly string[];
  readonly example: string;
}

export const references = {
  attr: {
    summary: 'a value of the `config` section',
    rules: [
      'A dotted key leads into objects and lists; all of `config` can be referred to but its jobs.',
      'It must lead to a single value that is not null: one that does not is found before any request.',
      'A value below a key that begins with `#` is a secret, and so is all that is computed from it.',
    ],
    example: '{ "attr": "#apiKey" }',
  },
  response: {
    summary: 'a value of the reply to the login request',
    rules: ['A path of member names and of indices into lists, parted by dots.', 'All of the reply is secret.'],
    example: '{ "response": "session.tokens.0.value" }',
  },
} satisfies Record<Reference, ReferenceForm>;
