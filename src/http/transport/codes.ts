/** Error codes for failures without a platform code, or with a misleading one. */

/** Our code for a connection reset. undici treats ECONNRESET as the orderly end of a body. */
export const resetCode = 'CONNECTION_RESET';

/** The code of the error that aborts a request after its deadline. */
export const lateCode = 'REQUEST_TIMEOUT';

/** Codes for tunnel failures, in the place of undici's and Node's codes. */
export const lineCodes = {
  broken: 'TUNNEL_BROKEN',
  noHost: 'TUNNEL_NO_HOST',
  noConnection: 'TUNNEL_NO_CONNECTION',
  forbidden: 'TUNNEL_FORBIDDEN',
} as const;
