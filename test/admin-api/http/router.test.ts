import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpError } from '../../../admin-api/http/errors.ts';
import { type Method, Router } from '../../../admin-api/http/router.ts';

const ROUTES: readonly { method: Method; path: string; changes?: boolean }[] = [
  { method: 'GET', path: '/a' },
  { method: 'POST', path: '/a' },
  { method: 'GET', path: '/a/{id}' },
  { method: 'DELETE', path: '/a/{id}' },
  { method: 'GET', path: '/a/{id}/b' },
  { method: 'PUT', path: '/a/fixed' },
  { method: 'GET', path: '/update', changes: true },
];
const router = new Router(ROUTES);

function outcome(method: string, path: string): string {
  try {
    const match = router.match(method, path);
    if (match.kind === 'options') return `options ${match.allow}`;
    return `${match.route.method} ${match.route.path} ${Object.values(match.params)}${match.headOnly ? ' head' : ''}`;
  } catch (error) {
    assert.instance(error, HttpError);
    const { status, headers } = error as HttpError;
    return `${status} ${headers.Allow ?? ''}`.trim();
  }
}

const CASES: readonly (readonly [method: string, path: string, outcome: string])[] = [
  ['GET', '/a', 'GET /a '],
  ['HEAD', '/a', 'GET /a  head'],
  ['GET', '/a/1', 'GET /a/{id} 1'],
  ['GET', '/a/1/b', 'GET /a/{id}/b 1'],
  ['GET', '/a/%31', 'GET /a/{id} 1'],
  ['GET', '/a/%C3%BC', 'GET /a/{id} ü'],
  ['GET', '/a/x%2Fb', 'GET /a/{id} x/b'],
  ['PUT', '/a/fixed', 'PUT /a/fixed '],
  ['GET', '/a/__proto__', 'GET /a/{id} __proto__'],
  ['OPTIONS', '/a', 'options GET, HEAD, OPTIONS, POST'],
  ['GET', '/update', 'GET /update '],
  ['HEAD', '/update', '405 GET, OPTIONS'],
  ['OPTIONS', '/update', 'options GET, OPTIONS'],
  ['PATCH', '/a', '405 GET, HEAD, OPTIONS, POST'],
  ['get', '/a', '405 GET, HEAD, OPTIONS, POST'],
  ['CONNECT', '/a/1', '405 DELETE, GET, HEAD, OPTIONS'],
  ['GET', '/', '404'],
  ['GET', '', '404'],
  ['GET', '/b', '404'],
  ['GET', '/a/', '404'],
  ['GET', '//a', '404'],
  ['GET', '/a/1/', '404'],
  ['GET', '/a/1/c', '404'],
  ['GET', '/a/1/b/c', '404'],
  ['GET', '*', '404'],
  ['GET', '/%', '400'],
  ['GET', '/a/%zz', '400'],
  ['GET', '/a/%ff', '400'],
];

for (const [method, path, expected] of CASES)
  test(`${method} ${path}`, () => {
    assert.is(outcome(method, path), expected);
  });

test('rejects two routes with the same method and path', () => {
  assert.throws(() => new Router([ROUTES[0], ROUTES[0]]), /two routes/);
});

test.run();
