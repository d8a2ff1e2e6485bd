/** Helpers for interceptors that build a response from another. */
import type { HttpResponse } from './types.js';

/** The head of a response, to combine with another body. */
export const headOf = ({ status, headers, contentType, request, isOpenEnded }: HttpResponse) => ({
  status,
  headers,
  contentType,
  request,
  isOpenEnded,
});
