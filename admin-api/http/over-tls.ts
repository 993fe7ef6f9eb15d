/** Whether a request reached the edge, or another proxy in front of the API, over TLS. */
import type { HttpRequest } from './transport.ts';

export const isOverTls = (request: Pick<HttpRequest, 'isSecure' | 'header'>): boolean =>
  request.isSecure === true || request.header('x-forwarded-proto')?.toLowerCase() === 'https';
