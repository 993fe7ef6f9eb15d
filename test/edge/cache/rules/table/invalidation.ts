/** Invalidation by unsafe requests: RFC 9111 section 4.4. */
import { later, type Row, row, stores } from './row.ts';

const FRESH = { 'cache-control': 'max-age=3600' };

/** Store, send a request with this method, then request the stored URL again. */
const after = (method: string, status: number, from: 'cache' | 'origin'): Row =>
  row(
    '9111 4.4',
    `${method} answered ${status}`,
    stores(FRESH),
    later(1, 'origin', { method, origin: { status }, is: { status } }),
    later(2, from),
  );

/** Store two URLs; a POST to `/` names the other one. */
const naming = (name: string, field: string, value: string, from: 'cache' | 'origin', status = 200): Row =>
  row(
    '9111 4.4',
    name,
    stores(FRESH, { path: '/a' }),
    later(1, 'origin', { method: 'POST', origin: { status, headers: { [field]: value } }, is: { status } }),
    later(2, from, { path: '/a' }),
  );

export const INVALIDATION: readonly Row[] = [
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'M-SEARCH', 'LINK'].map((method) => after(method, 200, 'origin')),
  ...[201, 204, 301, 302, 303].map((status) => after('POST', status, 'origin')),
  ...[400, 403, 404, 409, 500, 503].map((status) => after('POST', status, 'cache')),
  ...['OPTIONS', 'PROPFIND', 'SEARCH'].map((method) => after(method, 200, 'cache')),
  row(
    '9111 4.4',
    'another path stays',
    stores(FRESH, { path: '/a' }),
    later(1, 'origin', { method: 'POST', path: '/b' }),
    later(2, 'cache', { path: '/a' }),
  ),
  row(
    '9111 4.4',
    'another query stays',
    stores(FRESH, { path: '/a?1' }),
    later(1, 'origin', { method: 'POST', path: '/a?2' }),
    later(2, 'cache', { path: '/a?1' }),
  ),
  row(
    '9111 4.4',
    'all variants go',
    stores({ ...FRESH, vary: 'x-a' }, { headers: { 'x-a': '1' } }),
    later(0, 'origin', { headers: { 'x-a': '2' }, origin: { headers: { ...FRESH, vary: 'x-a' } } }),
    later(1, 'origin', { method: 'POST', headers: { 'x-a': '3' } }),
    later(2, 'origin', { headers: { 'x-a': '1' } }),
    later(3, 'origin', { headers: { 'x-a': '2' } }),
  ),
  naming('Location as a path', 'location', '<base>/a', 'origin', 201),
  naming('Location as a URI', 'location', '<site><base>/a', 'origin', 201),
  naming('Location relative', 'location', 'a', 'origin', 201),
  naming('Location with a fragment', 'location', '<base>/a#b', 'origin', 303),
  naming('Location without a scheme', 'location', '//elsewhere.example<base>/a', 'cache', 303),
  naming('Location on another host', 'location', 'https://elsewhere.example<base>/a', 'cache', 303),
  naming('Location of a failure', 'location', '<base>/a', 'cache', 400),
  naming('Location that is none', 'location', 'https://[', 'cache', 303),
  naming('Content-Location as a path', 'content-location', '<base>/a', 'origin'),
  naming('Content-Location as a URI', 'content-location', '<site><base>/a', 'origin'),
  naming('Content-Location on another host', 'content-location', 'https://elsewhere.example<base>/a', 'cache'),
  naming('Content-Location of another path', 'content-location', '<base>/b', 'cache'),
  row(
    '9111 4.4',
    'Location of a GET says nothing',
    stores(FRESH, { path: '/a' }),
    later(1, 'origin', { origin: { status: 302, headers: { location: '<base>/a' } }, is: { status: 302 } }),
    later(2, 'cache', { path: '/a' }),
  ),
];
