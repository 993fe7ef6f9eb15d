/** Errors of authentication: 401, and 403 for an account without API access. */
import { HttpError } from './errors.ts';

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

/** All error codes of a 401. */
export const UNAUTHORIZED = [
  'missing_token',
  'malformed_token',
  'invalid_token',
  'expired_token',
  'invalid_session',
  'expired_session',
] as const;

export const unauthorized = (code: (typeof UNAUTHORIZED)[number], message: string): HttpError =>
  new HttpError(401, code, message, { headers: CHALLENGE });

export const accountGone = (): HttpError => unauthorized('invalid_token', 'The account of the token was deleted.');

export const tokenGone = (): HttpError =>
  unauthorized('invalid_token', 'The token was revoked or never issued; get a new one.');

export const sessionGone = (): HttpError =>
  unauthorized('invalid_session', 'The session was ended or never existed; sign in again.');

export const apiDisabled = (): HttpError =>
  new HttpError(403, 'api_disabled', 'API access is off for this account; an administrator can turn it on.');
