/** Helpers for interceptors that build a response from another. */
import type { HttpResponse } from './types.js';

/** The head of a response, to combine with another body. */
export function headOf({ status, headers, contentType, request, isOpenEnded, revalidated }: HttpResponse) {
  const head = { status, headers, contentType, request, isOpenEnded };
  return revalidated === undefined ? head : { ...head, revalidated };
}
