/** curl reads a page compressed, and changes it on the condition that it is unchanged. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram, whyNotPrograms } from '../../../support/programs.ts';
import { ORIGIN_ADDRESS, withSites } from './rig.ts';

const test = suite('If-Match with the tag of a compressed response');
const why = whyNotPrograms('curl');
const SITE = 'site.test';

if (why === null)
  for (const cacheControl of ['no-store', 'max-age=60'])
    test(`${cacheControl}: the origin's tags are compared, strong and weak`, async () => {
      let version = 1;
      const received: string[] = [];
      // Compares texts, as many applications do.
      const origin = createServer(({ method, url, headers }, response) => {
        const tag = url === '/weak' ? `W/"${version}"` : `"${version}"`;
        if (method === 'PUT') {
          received.push(String(headers['if-match']));
          const isCurrent = headers['if-match'] === tag;
          if (isCurrent) version++;
          response.writeHead(isCurrent ? 204 : 412).end();
          return;
        }
        response
          .setHeader('etag', tag)
          .setHeader('cache-control', cacheControl)
          .setHeader('content-type', 'text/plain');
        if (headers['if-none-match'] === `W/${tag}`) response.writeHead(304).end();
        else response.end('hello '.repeat(1000));
      }).listen(0, ORIGIN_ADDRESS);
      await once(origin, 'listening');
      try {
        const settings = { WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS, WAYPOST_EDGE_WORKERS: '1' };
        await withSites(settings, async ({ root, https, addSite }) => {
          const { port } = origin.address() as AddressInfo;
          await addSite(SITE, { host: ORIGIN_ADDRESS, port, protocol: 'http' });
          const curl = async (path: string, ...args: readonly string[]): Promise<string> => {
            const { code, output } = await runProgram('curl', [
              ...['-sS', '--cacert', root.file, '-o', '/dev/null', '-w', '%{http_code} %header{etag}', ...args],
              ...['--connect-to', `${SITE}:443:127.0.0.1:${https}`, `https://${SITE}${path}`],
            ]);
            assert.is(code, 0, output);
            return output.trim();
          };
          const tagOf = async (path: string): Promise<string> => (await curl(path, '--compressed')).slice(4);
          const put = (path: string, tag: string) => curl(path, '-X', 'PUT', '-d', 'x', '-H', `If-Match: ${tag}`);

          const coded = await tagOf('/strong');
          assert.match(coded, /^W\/"1/);
          assert.match(await curl('/strong', '--compressed', '-H', `If-None-Match: ${coded}`), /^304 W\/"1/);
          assert.is(await put('/strong', coded), '204');
          assert.is(await put('/strong', coded), '412', 'it has changed');
          assert.equal(received.splice(0), ['"1"', '"1"']);
          // A weak tag of the origin is its own.
          const weak = await tagOf('/weak');
          assert.is(weak, 'W/"2"');
          assert.is(await put('/weak', weak), '204');
          assert.equal(received.splice(0), ['W/"2"']);
        });
      } finally {
        origin.closeAllConnections();
        origin.close();
      }
    });

test.run();
