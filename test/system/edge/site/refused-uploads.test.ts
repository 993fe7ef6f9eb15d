/** Uploads that the origin, or the edge, answers before they have ended: clients get the answer. */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../support/api-client.ts';
import { runProgram, whyNotPrograms } from '../../../support/programs.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { ORIGIN_ADDRESS, type SiteRig, withSites } from './rig.ts';

const SITE = 'site.test';
const BYTES = 3_000_000;
/** Before, one lost response of 36 was usual over HTTP/1.1, and nearly all over HTTP/2. */
const TIMES = 5;
const PASSWORD = 'a long password';
const RULES: Json = [
  { name: 'Refused', match: { path: { prefix: ['/denied'] } }, action: { type: 'deny', status: 413 } },
  {
    name: 'Private',
    match: { path: { prefix: ['/private'] } },
    action: { type: 'basic_auth', users: [{ name: 'ann', password: PASSWORD }] },
  },
];

const test = suite<{ origin: Server; file: string }>('refused uploads');
const why = whyNotPrograms('curl');

/** Bytes that the origin reads before it answers, of a request with `?late`. */
const LATE = 1_000_000;

/** Answers the status in the path without the whole body; reads the bodies of other requests. */
const startOrigin = (): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      const { pathname, search } = new URL(`http://origin${request.url}`);
      const status = Number(pathname.slice(1));
      const refuse = (): unknown => !response.headersSent && response.writeHead(status).end('refused');
      if (status > 0 && search === '') {
        refuse();
        return;
      }
      let bytes = 0;
      request.on('data', (part: Buffer) => {
        bytes += part.length;
        if (status > 0 && bytes > LATE) refuse();
      });
      request.on('end', () => response.headersSent || response.end(`${bytes} bytes`));
    });
    server.listen(0, ORIGIN_ADDRESS, () => resolve(server));
  });

test.before(async (context) => {
  context.origin = await startOrigin();
  context.file = join(temporaryFolder('upload'), 'body');
  writeFileSync(context.file, Buffer.alloc(BYTES, 'a'));
});
test.after(({ origin }) => {
  origin.close();
  origin.closeAllConnections();
});

async function withSite(origin: Server, use: (rig: SiteRig) => Promise<void>): Promise<void> {
  await withSites({ WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS }, async (rig) => {
    const { port } = origin.address() as AddressInfo;
    const id = await rig.addSite(SITE, { host: ORIGIN_ADDRESS, port, protocol: 'http' });
    await rig.daemon.api.call('PUT', `/api/v1/domains/${id}/proxy/rules`, { rules: RULES });
    await use(rig);
  });
}

if (why !== null) test.skip(`curl: ${why}`, () => {});
else
  for (const flag of ['--http1.1', '--http2'])
    test(`curl ${flag} reads the response to an upload that is not read`, async ({ origin, file }) => {
      await withSite(origin, async ({ https, root }) => {
        const url = `https://${SITE}:${https}`;
        const usual = [
          '-sS',
          flag,
          '--cacert',
          root.file,
          '--resolve',
          `${SITE}:${https}:127.0.0.1`,
          '--max-time',
          '40',
        ];
        const upload = [...usual, '-H', 'Expect:', '-T', file];
        const read = async (path: string, status: string, ...more: string[]): Promise<void> => {
          for (let i = 0; i < TIMES; i++) {
            const { code, output } = await runProgram('curl', [...upload, ...more, '-w', ' %{http_code}', url + path]);
            assert.is(code, 0, `${path} ${more.join()}: ${output}`);
            assert.ok(output.endsWith(` ${status}`), `${path}: ${output}`);
          }
        };
        for (const status of ['413', '401', '403', '503', '200']) await read(`/${status}`, status);
        await read('/denied', '413');
        await read('/private', '401');
        await read('/413?late', '413');
        await read('/413?late', '413', '-H', 'Transfer-Encoding: chunked');
        for (let i = 0; i < TIMES; i++) {
          const user = ['--anyauth', '-u', `ann:${PASSWORD}`];
          const { code, output } = await runProgram('curl', [...upload, ...user, `${url}/private`]);
          assert.equal([code, output], [0, `${BYTES} bytes`]);
        }
      });
    });

test('a client by node:http2 sees its refused upload close', async ({ origin }) => {
  await withSite(origin, async ({ https, root }) => {
    const session = connect(`https://127.0.0.1:${https}`, { ca: root.pem, servername: SITE });
    for (const path of ['/413', '/denied', '/denied', '/denied', '/denied']) {
      const stream = session.request({ ':method': 'PUT', ':path': path, ':authority': SITE });
      const events: unknown[] = [];
      stream.on('response', (headers) => events.push(headers[':status']));
      stream.on('end', () => events.push('end'));
      stream.resume();
      const closed = new Promise<void>((resolve, reject) => {
        stream.on('close', resolve);
        stream.on('error', reject);
      });
      stream.end(Buffer.alloc(BYTES));
      await closed;
      assert.equal(events, [413, 'end']);
    }
    session.destroy();
  });
});

test.run();
