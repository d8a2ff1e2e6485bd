/** Options that commands share. */

export const strictOption = {
  strict: { about: 'treat warnings as errors' },
  allow: { value: 'WARNING', about: 'suppress this warning, also with --strict; may be repeated' },
} as const;

export const setOption = {
  set: { value: 'PATH=VALUE', about: 'change a value, such as config.jobs[0].params.limit=100; may be repeated' },
} as const;

export const logOption = {
  log: {
    value: 'FORM',
    oneOf: ['text', 'json'],
    about: 'log format: text, or json with one object a line (default: text)',
  },
} as const;
