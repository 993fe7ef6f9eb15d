/** An origin that ends the lines of its heads with LF alone, as curl and a health check see it. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram, whyNotPrograms } from '../../../support/programs.ts';
import { until } from '../../../support/until.ts';
import { ORIGIN_ADDRESS, withSites } from '../site/rig.ts';

const test = suite('an origin with LF alone');
const why = whyNotPrograms('curl');
const SITE = 'site.test';

if (why === null)
  test('a site may accept it, also from pools and in health checks', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\nX-A: b\nContent-Length: 5\n\nhello'));
    }).listen(0, ORIGIN_ADDRESS);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const settings = { WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS, WAYPOST_EDGE_WORKERS: '1' };
      await withSites(settings, async ({ daemon: { api }, root, https, addSite }) => {
        await addSite(SITE, { host: ORIGIN_ADDRESS, port, protocol: 'http' });
        const { body } = await api.call('GET', '/api/v1/domains');
        const [{ id }] = (body as { domains: { id: number }[] }).domains;
        const visit = async (): Promise<string> => {
          const { output } = await runProgram('curl', [
            ...['-sS', '--cacert', root.file, '-H', 'accept: application/json', '-w', ' %header{x-a} %{http_code}'],
            ...['--connect-to', `${SITE}:443:127.0.0.1:${https}`, `https://${SITE}/`],
          ]);
          return output;
        };
        assert.match(await visit(), /origin_malformed.* 502$/s);
        const at = `/api/v1/domains/${id}/proxy`;
        await api.call('PATCH', at, { lenient_responses: true });
        await until(async () => (await visit()) === 'hello b 200', 'that the setting holds');
        assert.is(await visit(), 'hello b 200');
        const pool = [{ origin: ORIGIN_ADDRESS, port, protocol: 'http' }];
        await api.call('PUT', `${at}/origins`, { origins: [{ pool, health: { interval: 2 } }] });
        await until(async () => {
          const { entries } = (await api.call('GET', `${at}/origins/health`)).body as unknown as {
            entries: { origins: { state: string }[] }[];
          };
          return entries[0].origins[0].state === 'up';
        }, 'that the check succeeds');
        assert.is(await visit(), 'hello b 200');
        await api.call('PATCH', at, { lenient_responses: false });
        await until(async () => / 502$/.test(await visit()), 'that the setting is off');
      });
    } finally {
      server.close();
    }
  });

test.run();
