/** A site behind a proxy that terminates TLS: curl sends what such a proxy sends. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram, whyNotPrograms } from '../../../support/programs.ts';
import { ORIGIN_ADDRESS, type SiteRig, withSites } from './rig.ts';

const test = suite('curl as a trusted proxy');
const why = whyNotPrograms('curl');

const SITE = 'site.test';
const PROXY = '127.0.0.2';
const VISITOR = '203.0.113.66';

interface World {
  readonly rig: SiteRig;
  /** The forwarding fields that the origin gets, by name; null: a redirect. */
  seen(path: string, ...args: readonly string[]): Promise<Record<string, string> | null>;
}

async function withWorld(use: (world: World) => Promise<void>): Promise<void> {
  const origin = createServer(({ headers }, response) => {
    const names = Object.keys(headers).filter((name) => /forwarded|real-ip/.test(name));
    response.setHeader('cache-control', 'max-age=60');
    response.end(JSON.stringify(Object.fromEntries(names.map((name) => [name, headers[name]]))));
  }).listen(0, ORIGIN_ADDRESS);
  await once(origin, 'listening');
  try {
    const settings = { WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS, WAYPOST_EDGE_TRUSTED_PROXIES: PROXY };
    await withSites({ ...settings, WAYPOST_EDGE_WORKERS: '1' }, async (rig) => {
      await rig.addSite(SITE, { host: ORIGIN_ADDRESS, port: (origin.address() as AddressInfo).port, protocol: 'http' });
      await use({
        rig,
        async seen(path, ...args) {
          const { code, output } = await runProgram('curl', [
            ...['-sS', '--max-time', '50', '--interface', PROXY, '-w', '\\n%{http_code}', ...args],
            ...['--connect-to', `${SITE}:80:127.0.0.1:${rig.http}`, `http://${SITE}${path}`],
          ]);
          assert.is(code, 0, output);
          const [body, status] = output.split('\n');
          if (status === '308') return null;
          assert.is(status, '200', output);
          return JSON.parse(body) as Record<string, string>;
        },
      });
    });
  } finally {
    origin.closeAllConnections();
    origin.close();
  }
}

const X_FORWARDED = ['-H', `X-Forwarded-For: 127.0.0.1, ${VISITOR}`, '-H', 'X-Real-IP: 127.0.0.1'];
/** A request through the cache, and past it. */
const WAYS = [[], ['-X', 'POST', '-d', 'x']] as const;

if (why === null) {
  test('no spelling of https is redirected, and all fields for the origin say the same', () =>
    withWorld(async ({ seen }) => {
      const schemes = ['https', 'HTTPS', 'wss', 'https,https', 'https, http'];
      for (const [i, scheme] of schemes.entries())
        for (const way of WAYS)
          assert.equal(await seen(`/${i}`, ...way, ...X_FORWARDED, '-H', `X-Forwarded-Proto: ${scheme}`), {
            'x-real-ip': VISITOR,
            'x-forwarded-for': `${VISITOR}, ${PROXY}`,
            'x-forwarded-proto': 'https',
            'x-forwarded-host': SITE,
            'x-forwarded-port': '443',
            forwarded: `for=${VISITOR};host=${SITE};proto=https, for=${PROXY}`,
          });
      for (const scheme of ['http', 'ws', 'ftp'])
        assert.is(await seen('/', ...X_FORWARDED, '-H', `X-Forwarded-Proto: ${scheme}`), null);
    }));

  test('Forwarded is read, and a site may do without its own', () =>
    withWorld(async ({ rig, seen }) => {
      const fields = ['-H', `Forwarded: for=127.0.0.1;proto=http, for="${VISITOR}:444";proto=https`];
      const expected = {
        'x-forwarded-for': `${VISITOR}, ${PROXY}`,
        'x-forwarded-proto': 'https',
        'x-forwarded-host': SITE,
        'x-forwarded-port': '443',
      };
      const forwarded = `for=${VISITOR};host=${SITE};proto=https, for=${PROXY}`;
      for (const way of WAYS) assert.equal(await seen('/', ...way, ...fields), { ...expected, forwarded });
      const { api } = rig.daemon;
      const { body } = await api.call('GET', '/api/v1/domains');
      const [{ id }] = (body as { domains: { id: number }[] }).domains;
      await api.call('PATCH', `/api/v1/domains/${id}/proxy`, { forwarded_header: false });
      for (const way of WAYS) assert.equal(await seen('/without', ...way, ...fields), expected);
    }));
}

test.run();
