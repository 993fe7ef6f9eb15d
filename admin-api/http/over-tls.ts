/** Whether the client sent a request over TLS, as far as the API knows. */
import type { HttpRequest } from './transport.ts';

/** The edge, or another proxy in front of the API, has received the request over TLS. */
export const isOverTls = (request: Pick<HttpRequest, 'isSecure' | 'header'>): boolean =>
  request.isSecure === true || request.header('x-forwarded-proto')?.toLowerCase() === 'https';
