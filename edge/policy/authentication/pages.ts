/** Error pages of logins with OpenID Connect. */
import type { ErrorPage } from '../../sites/error-page.ts';

const OWNER = 'A rule of this domain lets only visitors pass who sign in with its OpenID provider.';

export const NEEDS_HTTPS: ErrorPage = {
  status: 403,
  code: 'login_needs_https',
  title: 'This page needs HTTPS',
  visitor: 'Visitors can sign in only over HTTPS.',
  owner: `${OWNER} It works when the host has a certificate.`,
};

/** For programs and scripts, which cannot sign in. RFC 9110 section 15.5.2 asks for a challenge. */
export const NOT_SIGNED_IN: ErrorPage = {
  status: 401,
  code: 'login_required',
  title: 'You are not signed in',
  visitor: 'Open the site in a browser and sign in.',
  owner: OWNER,
  headers: ['www-authenticate', 'OpenID'],
};

export const NOT_ALLOWED: ErrorPage = {
  status: 403,
  code: 'login_not_allowed',
  title: 'This account may not see this page',
  visitor: 'You are signed in, but the owner of this site has not allowed your account.',
  owner: 'The account has none of the allowed groups and e-mail addresses of the rule.',
};

/** `reason`: of the provider, for the owner. */
export const failed = (visitor: string, reason = ''): ErrorPage => ({
  status: 400,
  code: 'login_failed',
  title: 'The login failed',
  visitor,
  owner: reason === '' ? OWNER : `The OpenID provider of the rule: ${reason}.`,
});

export const unavailable = (reason: string): ErrorPage => ({
  status: 503,
  code: 'auth_unavailable',
  title: 'Sign-in is not available',
  visitor: 'Signing in is not possible at the moment. Please try again in a minute.',
  owner: `The OpenID provider of the rule: ${reason}.`,
  headers: ['retry-after', '5'],
});
