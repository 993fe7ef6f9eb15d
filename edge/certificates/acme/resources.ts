/**
 * Validates the responses of a directory, so that its errors are not reported as internal errors.
 */
import type { Authorization, Order } from 'acme-client';
import { TOKEN } from './http-challenge.ts';
import { DirectoryUnreachable } from './problem.ts';

export const notUsable = (why: string): DirectoryUnreachable => new DirectoryUnreachable(`unusable response: ${why}`);

/**
 * RFC 8555 7.1.3. Throws DirectoryUnreachable. `names`: number of ordered names, which is the
 * maximum of authorizations.
 */
export function checkOrder(order: Order, names: number): Order {
  const { url, finalize, authorizations } = order as Partial<Order>;
  if (typeof url !== 'string' || typeof finalize !== 'string') throw notUsable('an order lacks a URL');
  if (!Array.isArray(authorizations) || authorizations.some((authorization) => typeof authorization !== 'string'))
    throw notUsable('an order lacks its authorizations');
  if (authorizations.length > names)
    throw notUsable(`an order of ${names} names has ${authorizations.length} authorizations`);
  return order;
}

/** RFC 8555 7.1.4. Throws DirectoryUnreachable. */
export function checkAuthorization({ identifier, challenges, url }: Partial<Authorization>): void {
  if (typeof identifier?.value !== 'string' || typeof url !== 'string' || !Array.isArray(challenges))
    throw notUsable('an authorization lacks its name or its challenges');
  for (const challenge of challenges) {
    const { type, url: at, token } = (challenge ?? {}) as { type?: unknown; url?: unknown; token?: unknown };
    if (typeof type !== 'string') throw notUsable('a challenge has no type');
    // Other types are ignored. An invalid token must not be part of a response (8.3).
    if (type !== 'dns-01' && type !== 'http-01') continue;
    if (typeof at !== 'string' || typeof token !== 'string' || !TOKEN.test(token))
      throw notUsable(`a challenge of ${type} has no URL or no token`);
  }
}
