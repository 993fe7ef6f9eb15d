/** A pool of one origin that fails, through the whole daemon: what curl and the API show. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram, whyNotPrograms } from '../../../support/programs.ts';
import { until } from '../../../support/until.ts';
import { makeRoot, ORIGIN_ADDRESS, withSites } from '../site/rig.ts';

const test = suite('a pool of one origin');
const why = whyNotPrograms('curl');
const SITE = 'site.test';

interface Health {
  readonly state: string;
  readonly since: string | null;
  readonly reason: string | null;
}

if (why === null)
  test('visitors and the API get the cause: refused, tls, timeout', async () => {
    const { cert, key } = makeRoot('Unknown root').issue(['origin.test']);
    const secure: Server = createServer({ cert, key }, (_, response) => response.end('hello'));
    // Accepts connections, and never responds.
    const silent = createTcpServer();
    for (const server of [secure, silent]) await once(server.listen(0, ORIGIN_ADDRESS), 'listening');
    const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;
    const closed = createTcpServer().listen(0, ORIGIN_ADDRESS);
    await once(closed, 'listening');
    const refusing = portOf(closed);
    await new Promise((done) => closed.close(done));
    try {
      const settings = { WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS, WAYPOST_EDGE_WORKERS: '1' };
      await withSites(settings, async ({ daemon: { api }, root, https, addSite }) => {
        await addSite(SITE, { host: ORIGIN_ADDRESS, port: refusing, protocol: 'http' });
        const { body } = await api.call('GET', '/api/v1/domains');
        const [{ id }] = (body as { domains: { id: number }[] }).domains;
        const at = `/api/v1/domains/${id}/proxy/origins`;
        const use = async (port: number, protocol: string): Promise<void> => {
          const pool = [{ origin: ORIGIN_ADDRESS, port, protocol }];
          await api.call('PUT', at, { origins: [{ pool, response_timeout: 1 }] });
        };
        const visit = async (): Promise<string> => {
          const { output } = await runProgram('curl', [
            ...['-sS', '--cacert', root.file, '-H', 'accept: application/json', '-w', '\n%{http_code}'],
            ...['--connect-to', `${SITE}:443:127.0.0.1:${https}`, `https://${SITE}/`],
          ]);
          return output;
        };
        const health = async (): Promise<Health> => {
          const { entries } = (await api.call('GET', `${at}/health`)).body as unknown as {
            entries: { origins: Health[]; is_down: boolean }[];
          };
          assert.is(entries[0].is_down, entries[0].origins[0].state === 'down');
          return entries[0].origins[0];
        };
        for (const [port, protocol, code, status, reason] of [
          [refusing, 'http', 'origin_refused', 502, 'It refused the connection.'],
          [portOf(secure), 'https', 'origin_tls', 502, 'The TLS handshake failed: check its certificate.'],
          [portOf(silent), 'http', 'origin_timeout', 504, 'It sent no response in time.'],
        ] as const) {
          await use(port, protocol);
          assert.is((await health()).state, 'unchecked');
          await until(async () => {
            const page = await visit();
            return page.includes(code) && page.endsWith(`\n${status}`);
          }, `the page of ${code}`);
          await until(async () => (await health()).state === 'down', 'the state');
          const { since, reason: shown } = await health();
          assert.is(shown, reason);
          assert.type(since, 'string');
        }
      });
    } finally {
      secure.closeAllConnections();
      for (const server of [secure, silent]) server.close();
    }
  });

test.run();
