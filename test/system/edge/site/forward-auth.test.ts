/**
 * A site behind a server that decides, with curl. The server follows the documented exchange of
 * Authelia (https://www.authelia.com/reference/guides/proxy-authorization/, ForwardAuth): it reads
 * the request from X-Forwarded-Method, -Proto, -Host, -Uri and -For, its session from a cookie, and
 * answers 200 with Remote-User, Remote-Groups, Remote-Name and Remote-Email, or redirects browsers
 * to its portal and refuses other clients with 401.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram, whyNotPrograms } from '../../../support/programs.ts';
import { ORIGIN_ADDRESS, withSites } from './rig.ts';

const test = suite('forward authentication of a site');
const why = whyNotPrograms('curl');
const SITE = 'site.test';
const PORTAL = 'https://auth.site.test/';
const IDENTITY = ['Remote-User', 'Remote-Groups', 'Remote-Name', 'Remote-Email'];

async function authelia(): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((request, response) => {
    const { headers } = request;
    const [method, proto, host, uri] = ['method', 'proto', 'host', 'uri'].map((name) => headers[`x-forwarded-${name}`]);
    if (request.url !== '/api/authz/forward-auth' || !method || !proto || !host || !uri || !headers['x-forwarded-for'])
      return response.writeHead(400).end();
    if (headers.cookie?.includes('authelia_session=ann'))
      return response
        .setHeader('Remote-User', 'ann')
        .setHeader('Remote-Groups', 'dev,ops')
        .setHeader('Remote-Name', 'Ann')
        .setHeader('Remote-Email', 'ann@site.test')
        .end('200 OK');
    const isBrowser = headers['x-requested-with'] !== 'XMLHttpRequest' && /text\/html/.test(headers.accept ?? '');
    const target = encodeURIComponent(`${proto}://${host}${uri}`);
    response.setHeader('Set-Cookie', 'authelia_session=new; Domain=site.test; Path=/; HttpOnly; Secure; SameSite=Lax');
    response.setHeader('Location', `${PORTAL}?rd=${target}&rm=${method}`);
    response.writeHead(isBrowser ? (method === 'GET' || method === 'HEAD' ? 302 : 303) : 401).end('see the portal');
  }).listen(0, ORIGIN_ADDRESS);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

if (why === null)
  test('browsers are sent to the portal, programs get 401, and the origin sees only who passed', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const origin = createServer((request, response) => {
      seen.push(request.headers);
      let bytes = 0;
      request
        .on('data', (part: Buffer) => {
          bytes += part.length;
        })
        .on('end', () => response.setHeader('cache-control', 'max-age=60').end(`${request.url} ${bytes}`));
    }).listen(0, ORIGIN_ADDRESS);
    await once(origin, 'listening');
    const decider = await authelia();
    try {
      const settings = { WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS };
      await withSites(settings, async ({ daemon, root, https, addSite }) => {
        const { port } = origin.address() as AddressInfo;
        const id = await addSite(SITE, { host: ORIGIN_ADDRESS, port, protocol: 'http' });
        const url = `http://${ORIGIN_ADDRESS}:${decider.port}/api/authz/forward-auth`;
        const action = { type: 'authenticate', forward: { url, copy_headers: IDENTITY } };
        await daemon.api.call('PUT', `/api/v1/domains/${id}/proxy/rules`, {
          rules: [{ match: { path: { prefix: ['/app'] } }, action }],
        });
        const curl = async (path: string, ...args: readonly string[]): Promise<string> => {
          const { code, output } = await runProgram('curl', [
            ...['-sS', '--cacert', root.file, '-w', '\n%{http_code} %header{location} %header{set-cookie}', ...args],
            ...['--connect-to', `${SITE}:443:127.0.0.1:${https}`, `https://${SITE}${path}`],
          ]);
          assert.is(code, 0, output);
          return output.trim();
        };
        const spoofed = ['-H', 'Remote-User: root', '-H', 'Remote_User: root'];
        const browser = ['-H', 'Accept: text/html', ...spoofed];
        const sent = await curl('/app/?a=b', ...browser);
        assert.match(sent, /^see the portal\n302 /);
        assert.match(sent, `${PORTAL}?rd=${encodeURIComponent(`https://${SITE}/app/?a=b`)}&rm=GET`);
        assert.match(sent, /authelia_session=new; Domain=site\.test/);
        assert.match(await curl('/app/', ...browser, '-d', 'x'), /\n303 /);
        assert.match(await curl('/app/', ...spoofed), /\n401 /);
        assert.is(seen.length, 0);

        const session = ['-b', 'authelia_session=ann', ...spoofed];
        for (const version of ['--http1.1', '--http2']) {
          assert.match(await curl('/app/', version, ...session), /^\/app\/ 0\n200/);
          const upload = await curl('/app/up', version, ...session, '-d', 'x'.repeat(100_000));
          assert.match(upload, /^\/app\/up 100000\n200/);
        }
        assert.is(seen.length, 3, 'the second GET is from the cache');
        for (const headers of seen) {
          assert.equal([headers['remote-user'], headers['remote-groups']], ['ann', 'dev,ops']);
          assert.is(headers.remote_user, undefined);
        }
        assert.match(await curl('/app/', '-H', 'Accept: text/html'), /\n302 /, 'the stored response is not for all');
        assert.match(await curl('/open', ...spoofed), /\n200/);
        assert.equal([seen[3]['remote-user'], seen[3].remote_user], [undefined, undefined]);

        decider.close();
        assert.match(await curl('/app/', ...session), /502 Sign-in is not available[\s\S]*\n502/);
        assert.is(seen.length, 4);
      });
    } finally {
      decider.close();
      origin.closeAllConnections();
      origin.close();
    }
  });

test.run();
