/** What rules of authentication need and decide. */
import { type AuthenticateAction, type Identity, identityNames } from '../../../core/site/rules/index.ts';
import type { Origin } from '../../origin/origin-address.ts';

/** A visitor who has been let through. */
export interface Admission {
  readonly identity: Identity;
  /** Values of Set-Cookie for the visitor. */
  readonly cookies: readonly string[];
}

/** A server that decides about requests. */
export interface Decider {
  readonly origin: Origin;
  readonly authority: string;
  /** Path and query. */
  readonly path: string;
  /** Headers of its response that the origin receives, in lower case. */
  readonly names: readonly string[];
}

/** Milliseconds of a connection with TLS, and of a response. */
const CONNECT_MS = 5000;
const RESPONSE_MS = 10_000;

export function deciderOf(action: AuthenticateAction): Decider {
  const url = new URL(action.forward!.url);
  const isSecure = url.protocol === 'https:';
  return {
    origin: {
      host: url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''),
      port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
      protocol: isSecure ? 'https' : 'http',
      connectTimeoutMs: CONNECT_MS,
      responseTimeoutMs: RESPONSE_MS,
    },
    authority: url.host,
    path: url.pathname + url.search,
    names: identityNames(action),
  };
}
