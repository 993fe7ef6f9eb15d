/** Error pages for requests of a site that has its share, or has met a limit of its own. */
import type { ErrorPage } from '../../sites/error-page.ts';

export const SITE_BUSY: ErrorPage = {
  status: 503,
  code: 'site_busy',
  title: 'This site is busy',
  visitor: 'It gets more requests than its share of the server. Please try again in half a minute.',
  owner: 'Other sites of the server are served meanwhile. If this is an attack, switch on the challenge of the domain.',
  headers: ['retry-after', '30'],
};

export const SITE_LIMIT: ErrorPage = {
  status: 503,
  code: 'site_limit',
  title: 'This site is busy',
  visitor: 'It gets more requests than its owner allows. Please try again in a few seconds.',
  owner: 'The limits of the domain (proxy/protection) are met.',
  headers: ['retry-after', '5'],
};
