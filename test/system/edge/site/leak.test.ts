/**
 * An origin that tells where it is in every field in which applications do: nothing of it comes to
 * a visitor, fetched or kept, by whichever version and page.
 */
import { isIP } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TargetServer } from '../../../support/target-server.ts';
import { leaksIn } from './leaks.ts';
import { ORIGIN_ADDRESS, withSites } from './rig.ts';
import { type Script, startScriptedOrigin } from './scripted-origin.ts';
import { type Asked, http1Visitor, http2Visitor, textOf } from './visitor.ts';

const NAME = 'backend-7.example.com';

/** All of them, of a place `host:port`. */
const fieldsOf = (address: string, host: string): string =>
  [
    `Location: http://${address}/moved?a=b#c`,
    `Content-Location: https://${address}/page.de`,
    `Link: <http://${address}/style.css>; rel=preload, </own>; rel=next, <//${address}/x>; rel=icon`,
    `Refresh: 5; url=http://${address}/later`,
    `Set-Cookie: a=1; Domain=${host}; Path=/; Secure`,
    `Set-Cookie: b=2; domain=.${host}`,
    `Alt-Svc: h2="${address}"; ma=86400`,
    `Via: 1.1 ${address} (Apache), 1.1 ${host}`,
    `Server: nginx on ${host}`,
    `X-Powered-By: something at ${address}`,
    `X-Backend-Server: ${address}`,
    // Before a name it would be another one.
    `X-Served-By: ${isIP(host) === 0 ? '' : 'cache-'}${address}`,
  ].join('\r\n');

const ROUTES: Readonly<Record<string, (fields: string) => string>> = {
  page: (fields) =>
    `HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nETag: "a"\r\n${fields}\r\nContent-Length: 2\r\n\r\nok`,
  moved: (fields) => `HTTP/1.1 302 Found\r\n${fields}\r\nContent-Length: 0\r\n\r\n`,
  hints: (fields) => `HTTP/1.1 103 Early Hints\r\n${fields}\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`,
  failed: (fields) => `HTTP/1.1 503 Service Unavailable\r\n${fields}\r\nContent-Length: 2\r\n\r\nno`,
  trailers: (fields) =>
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-A\r\n${fields}\r\n\r\n2\r\nok\r\n0\r\n${fields}\r\n\r\n`,
  odd: (fields) => `HTTP/1.1 200 OK\r\n${fields}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok`,
  nothing: () => '',
};
const ASKED: readonly Asked[] = [
  {},
  {},
  { method: 'HEAD' },
  { headers: { 'if-none-match': '"a"' } },
  { headers: { range: 'bytes=0-0' } },
  { headers: { accept: 'application/json', te: 'trailers' } },
  { method: 'POST', body: Buffer.from('x') },
];

for (const host of [ORIGIN_ADDRESS, NAME])
  test(`an origin at ${host} that reveals itself`, async () => {
    const resolver = await TargetServer.start();
    resolver.set(NAME, { addresses: [ORIGIN_ADDRESS], ttl: 60 });
    const scriptOf =
      (name: string): Script =>
      (socket) => {
        const answer = ROUTES[name]?.(fieldsOf(`${host}:${origin.port}`, host)) ?? '';
        if (answer === '') socket.end();
        else socket.write(answer);
      };
    const origin = await startScriptedOrigin(scriptOf);
    const settings = {
      WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS,
      WAYPOST_EDGE_RESOLVERS: resolver.address,
    };
    try {
      await withSites(settings, async ({ https, root, addSite }) => {
        await addSite('site.test', { host, port: origin.port, protocol: 'http' });
        const visitors = [http1Visitor(https, root.pem), http2Visitor(https, root.pem)];
        try {
          for (const visitor of visitors)
            for (const name of Object.keys(ROUTES))
              for (const request of ASKED) {
                const seen = await visitor.visit('site.test', `/${name}`, request);
                assert.ok(seen.status > 0, name);
                const hidden = { hosts: [ORIGIN_ADDRESS, NAME], ports: [origin.port] };
                assert.equal(
                  leaksIn(textOf(seen), hidden),
                  [],
                  `${visitor.version} ${name} ${JSON.stringify(request)}`,
                );
              }
          const { headers } = await visitors[1].visit('site.test', '/moved');
          assert.is(headers.location, 'https://site.test/moved?a=b#c', 'it leads here');
          assert.match(headers['set-cookie'], /^a=1; Path=\/; Secure,b=2$/, 'a cookie for who was asked');
          assert.is(
            headers.link,
            '<https://site.test/style.css>; rel=preload, </own>; rel=next, <//site.test/x>; rel=icon',
          );
        } finally {
          for (const visitor of visitors) visitor.close();
        }
      });
    } finally {
      origin.close();
      await resolver.close();
    }
  });

test.run();
