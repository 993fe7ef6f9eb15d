/** Paths of a site that demand a client certificate, with curl. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram, whyNotPrograms } from '../../../support/programs.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { makeRoot, ORIGIN_ADDRESS, withSites } from './rig.ts';

const test = suite('client certificates for paths of a site');
const why = whyNotPrograms('curl');
const SITE = 'site.test';

if (why === null)
  test('some paths demand the certificate that TLS has verified', async () => {
    const subjects: unknown[] = [];
    const origin = createServer((request, response) => {
      subjects.push(request.headers['x-subject']);
      response.end('page');
    }).listen(0, ORIGIN_ADDRESS);
    await once(origin, 'listening');
    try {
      await withSites(
        { WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS },
        async ({ daemon, root, https, addSite }) => {
          const { port } = origin.address() as AddressInfo;
          const id = await addSite(SITE, { host: ORIGIN_ADDRESS, port, protocol: 'http' });
          const visitors = makeRoot('Authority of visitors');
          await daemon.api.call('PUT', `/api/v1/domains/${id}/proxy/protection`, {
            tls: { client_certificates: 'optional', client_authorities: visitors.pem },
          });
          const certificate = { copy_fields: [{ field: 'subject', header: 'X-Subject' }] };
          await daemon.api.call('PUT', `/api/v1/domains/${id}/proxy/rules`, {
            rules: [{ match: { path: { prefix: ['/admin'] } }, action: { type: 'authenticate', certificate } }],
          });
          const file = join(temporaryFolder('client'), 'ann.pem');
          const { cert, key } = visitors.issue(['ann.test']);
          writeFileSync(file, cert + key);
          const curl = async (path: string, ...args: readonly string[]): Promise<string> => {
            const { code, output } = await runProgram('curl', [
              ...['-sS', '--cacert', root.file, '-o', '/dev/null', '-w', '%{http_code}', ...args],
              ...['--connect-to', `${SITE}:443:127.0.0.1:${https}`, `https://${SITE}${path}`],
            ]);
            assert.is(code, 0, output);
            return output.trim();
          };
          assert.is(await curl('/admin', '-H', 'X-Subject: CN=root'), '403');
          assert.is(await curl('/open', '-H', 'X-Subject: CN=root'), '200');
          for (const version of ['--http1.1', '--http2'])
            assert.is(await curl('/admin', version, '--cert', file, '-H', 'X-Subject: CN=root'), '200');
          assert.equal(subjects, [undefined, 'CN=ann.test', 'CN=ann.test']);
        },
      );
    } finally {
      origin.closeAllConnections();
      origin.close();
    }
  });

test.run();
