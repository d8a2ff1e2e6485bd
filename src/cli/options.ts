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

export const itemErrorOption = {
  'on-item-error': {
    value: 'RULE',
    offers: ['fail', 'skip', 'dead-letter='],
    about: 'items that a destination refuses: fail, skip, or dead-letter=URI (default: fail)',
  },
} as const;

export const proxyOption = {
  proxy: { value: 'URL', offers: ['env', 'http://', 'https://', 'socks5://'], about: 'as in run' },
} as const;

export const exchangeOptions = {
  record: { value: 'FILE', about: 'record all requests and responses in FILE, secrets masked' },
  replay: { value: 'FILE', about: 'answer all requests from the recording FILE, without a connection or a wait' },
} as const;
