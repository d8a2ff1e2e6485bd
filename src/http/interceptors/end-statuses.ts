/**
 * `endStatuses` of a pagination: turns a response that says that there are no more pages into a page without items.
 * docs/03-pagination.md#a-status-past-the-end.
 */
import { asExtractError } from '../../core/errors/errors.js';
import { bodyOf } from '../body.js';
import type { HttpResponse, Interceptor } from '../types.js';

/** Makes an empty page of a response with a status that its page lists. The first page of a walk lists none. */
export function endStatuses(): Interceptor {
  return (next) => async (request, context) => {
    const { ends } = context;
    if (ends === undefined) return next(request, context);
    const emptyPage = (status: number): HttpResponse => ({
      status,
      headers: {},
      contentType: 'application/json',
      request,
      isOpenEnded: false,
      body: bodyOf([Buffer.from('[]')]),
    });
    try {
      const response = await next(request, context);
      if (!ends.has(response.status)) return response;
      response.body.cancel();
      return emptyPage(response.status);
    } catch (thrown) {
      const { code, where } = asExtractError(thrown);
      if (code !== 'ERR_STATUS' || where.status === undefined || !ends.has(where.status)) throw thrown;
      return emptyPage(where.status);
    }
  };
}
