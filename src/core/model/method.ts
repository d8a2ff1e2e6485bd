/** The methods of a configuration and what they are on the wire. */
import type { Method } from './request.js';

/** The HTTP method: FORM is sent as POST. */
export const onWire = (method: Method): string => (method === 'FORM' ? 'POST' : method);
