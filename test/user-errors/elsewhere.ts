/** User errors that need more than a configuration and answers: the tests that have them, by a part of their names. */
export const elsewhere: readonly (readonly [rule: string, file: string, test: string])[] = [
  ['1.1: no config.json', 'test/blackbox/data-folder.test.ts', 'a missing config.json'],
  ['1.7: a tunnel that cannot be opened', 'test/send/tunnel-attempts.test.ts', 'is tried 5 times'],
  ['1.7: a private key that is none', 'test/send/tunnel-attempts.test.ts', 'a key that is none is refused'],
  ['8.2: a certificate that nobody trusts', 'test/send/tls.test.ts', 'whose authority is not listed'],
  ['8.2: a host that is unknown, a connection that is refused', 'test/send/faults.test.ts', 'an unknown host 6'],
  ['8.2: an answer that does not come', 'test/send/faults.test.ts', 'a body that stalls'],
  ['8.1: exit codes', 'test/cli/exit-code.test.ts', 'is 1`'],
  ['8.1: a run that failed publishes nothing', 'test/blackbox/errors.test.ts', 'takes back all of the page'],
];
