/** Parts of responses that interceptors build others from. */
import type { HttpResponse } from './types.js';

/** The head of a response, for one that gets another body. */
export const headOf = ({ status, headers, contentType, request, isOpenEnded }: HttpResponse) => ({
  ...{ status, headers, contentType, request, isOpenEnded },
});
