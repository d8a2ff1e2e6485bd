/** Codes of failures that the platform has no code for, or one that says something else. */

/** What a reset is called here. Under its own code undici takes it for the orderly end of a body. */
export const resetCode = 'CONNECTION_RESET';

/** What a request is aborted with when its time is over, as the code of that error. */
export const lateCode = 'REQUEST_TIMEOUT';

/** How failures of a tunnel are called where undici and Node have codes. */
export const lineCodes = {
  broken: 'TUNNEL_BROKEN',
  noHost: 'TUNNEL_NO_HOST',
  noConnection: 'TUNNEL_NO_CONNECTION',
  forbidden: 'TUNNEL_FORBIDDEN',
} as const;
