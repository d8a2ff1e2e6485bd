/** Options that commands share. */

export const strictOption = { strict: { about: 'treat warnings as errors' } } as const;

export const logOption = {
  log: {
    value: 'FORM',
    oneOf: ['text', 'json'],
    about: 'text for people, json for programs: one object a line (default: text)',
  },
} as const;
