/** Options that commands share. */

export const strictOption = {
  strict: { about: 'treat warnings as errors' },
  allow: { value: 'WARNING', about: 'do not tell this warning, also under --strict; may be repeated' },
} as const;

export const setOption = {
  set: { value: 'PATH=VALUE', about: 'change a value, as in config.jobs[0].params.limit=100; may be repeated' },
} as const;

export const logOption = {
  log: {
    value: 'FORM',
    oneOf: ['text', 'json'],
    about: 'text for people, json for programs: one object a line (default: text)',
  },
} as const;
