/**
 * Visitors behind a trusted proxy who choose what X-Forwarded-For says of them: what a deny rule,
 * the access log and the origin have as their address.
 */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ADMIN_PASSWORD, startDaemon } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { until } from '../../support/until.ts';

const SITE = 'site.test';
const ADMIN = 'admin.waypost.test';
/** The proxies next to the edge, and in front of that one. */
const [PROXY, OUTER] = ['127.0.0.2', '10.0.0.9'];
/** The denied visitors. */
export const DENIED = '203.0.113.66';
export const DENIED_IPV6 = '2001:db8:bad::1';

export interface Spelling {
  readonly name: string;
  readonly lines: readonly string[];
  /** Who it is: the rightmost address that is no trusted proxy's. */
  readonly visitor: string;
}

/** What reaches the edge: lines of the visitor, and what the proxy has added. */
export const SPELLINGS: readonly Spelling[] = [
  { name: 'the line of the proxy', lines: [DENIED], visitor: DENIED },
  { name: "a visitor's line, then the proxy's", lines: ['198.51.100.1', DENIED], visitor: DENIED },
  { name: "a visitor's list, then the proxy's line", lines: ['198.51.100.1, 10.0.0.9', DENIED], visitor: DENIED },
  { name: 'one list', lines: [`198.51.100.1, ${DENIED}`], visitor: DENIED },
  { name: 'two proxies', lines: [`198.51.100.1, ${DENIED}, ${OUTER}`], visitor: DENIED },
  { name: 'two proxies, a line each', lines: ['198.51.100.1', DENIED, OUTER], visitor: DENIED },
  { name: 'a port', lines: [`${DENIED}:444`], visitor: DENIED },
  { name: 'quotes', lines: [`"${DENIED}:444"`], visitor: DENIED },
  { name: 'IPv4-mapped', lines: [`::ffff:${DENIED}`], visitor: DENIED },
  { name: 'IPv4-mapped in brackets', lines: [`[::ffff:${DENIED}]:444`], visitor: DENIED },
  { name: 'IPv6', lines: [DENIED_IPV6], visitor: DENIED_IPV6 },
  { name: 'IPv6, another form', lines: ['2001:DB8:BAD:0::1'], visitor: DENIED_IPV6 },
  { name: 'IPv6 in brackets', lines: [`[${DENIED_IPV6}]`], visitor: DENIED_IPV6 },
  { name: 'IPv6 with a port', lines: [`[${DENIED_IPV6}]:444`], visitor: DENIED_IPV6 },
  { name: 'IPv6 with a port, in quotes', lines: [`"[${DENIED_IPV6}]:444"`], visitor: DENIED_IPV6 },
];

export interface Outcome {
  readonly spelling: Spelling;
  readonly isDenied: boolean;
  /** The visitor in the access log. */
  readonly logged: string;
  /** The first address of X-Forwarded-For at the origin, X-Real-IP, and the first of Forwarded. */
  readonly atOrigin: readonly string[];
}

/** `main`: main.js of another revision. */
export async function playForwardedFor(main?: string): Promise<Outcome[]> {
  let atOrigin: readonly string[] = [];
  const origin = createServer(({ headers }, response) => {
    const first = (list: unknown): string => String(list).split(', ')[0];
    const node = first(headers.forwarded)
      .split(';')[0]
      .replace(/^for=|["[\]]/g, '');
    atOrigin = [first(headers['x-forwarded-for']), String(headers['x-real-ip']), node];
    response.setHeader('cache-control', 'no-store').end('hello');
  });
  await new Promise<void>((done) => origin.listen(0, '127.0.0.1', done));
  const http = await freePort();
  const daemon = await startDaemon(
    {
      WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${http}`,
      WAYPOST_EDGE_WORKERS: '1',
      WAYPOST_EDGE_ACCESS_LOG: '1',
      WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
      WAYPOST_EDGE_TRUSTED_PROXIES: `${PROXY},${OUTER}`,
      WAYPOST_ADMIN_HOSTNAME: ADMIN,
    },
    { main },
  );
  const visit = async (method: string, path: string, lines: readonly string[]): Promise<number> => {
    const outgoing = request({
      ...{ host: '127.0.0.1', port: http, localAddress: PROXY, method, path },
      headers: {
        host: SITE,
        'x-forwarded-for': [...lines],
        'x-real-ip': '198.51.100.1',
        forwarded: 'for=198.51.100.1',
      },
    }).end();
    const [response] = await once(outgoing, 'response');
    await text(response);
    return response.statusCode;
  };
  try {
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await api.createDomain(SITE);
    await api.createRecord(id, '@', 'A', '192.0.2.7');
    const { port } = origin.address() as AddressInfo;
    await api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin: '127.0.0.1', port, protocol: 'http' });
    await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
    const client = [DENIED, '2001:db8:bad::/48'];
    await api.call('PUT', `/api/v1/domains/${id}/proxy/rules`, {
      rules: [{ name: 'denied', match: { client, path: { prefix: ['/secret'] } }, action: { type: 'deny' } }],
    });
    await until(async () => (await visit('GET', '/secret', [DENIED])) === 403, 'that the rule is served');
    const outcomes: Outcome[] = [];
    for (const [i, spelling] of SPELLINGS.entries()) {
      const isDenied = (await visit('GET', `/secret/${i}`, spelling.lines)) === 403;
      // Fields of proxies reach the origin with requests that bypass the cache.
      await visit('POST', `/open/${i}`, spelling.lines);
      const line = new RegExp(`^{.*"client":"([^"]*)".*"path":"/open/${i}".*$`, 'm');
      await until(() => line.test(daemon.child.output()), 'the line of the access log');
      outcomes.push({ spelling, isDenied, logged: line.exec(daemon.child.output())![1], atOrigin });
    }
    return outcomes;
  } finally {
    origin.closeAllConnections();
    origin.close();
    await daemon.close();
  }
}
