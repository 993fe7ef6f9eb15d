/**
 * Names of origins that lead elsewhere when they are connected to than when they were checked (DNS
 * rebinding), through the whole daemon: no connection arrives at what they lead to, and visitors
 * get a page that tells nothing of it.
 */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Says, TargetServer } from '../../../support/target-server.ts';
import { leaksIn } from './leaks.ts';
import { ORIGIN_ADDRESS, type SiteRig, until, withSites } from './rig.ts';
import { startScriptedOrigin } from './scripted-origin.ts';
import { http1Visitor, http2Visitor, type Seen, textOf } from './visitor.ts';

const SITE = 'shop.test';
const NAME = 'origin.example.com';
/** Public, and never connected to: no request is made while the name leads there. */
const PUBLIC: Says = { addresses: ['8.8.4.4'], ttl: 1 };

/** What a name may be turned to. */
const TURNS: readonly (readonly [a: Says | undefined, aaaa: Says | undefined])[] = [
  [{ addresses: ['127.0.0.1'], ttl: 1 }, undefined],
  [{ addresses: ['0.0.0.0'], ttl: 1 }, undefined],
  [
    { rcode: 0, negativeTtl: 1 },
    { addresses: ['::1'], ttl: 1 },
  ],
  [
    { rcode: 0, negativeTtl: 1 },
    { addresses: ['::ffff:127.0.0.1'], ttl: 1 },
  ],
  [
    { rcode: 0, negativeTtl: 1 },
    { addresses: ['64:ff9b::7f00:1'], ttl: 1 },
  ],
  [{ cname: [['inside.example.com', 1]], addresses: ['127.0.0.1'], ttl: 1 }, undefined],
  [
    { addresses: ['127.0.0.1', '127.1.2.3', '0.0.0.0'], ttl: 1 },
    { addresses: ['::1', '::'], ttl: 1 },
  ],
];

/** Listens on every address of this machine and counts who comes. */
async function startInside(): Promise<{ port: number; connections: Socket[]; close(): void }> {
  const connections: Socket[] = [];
  const server: Server = createServer((socket) => {
    connections.push(socket);
    socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret');
  });
  server.listen(0, '::');
  await once(server, 'listening');
  return { port: (server.address() as { port: number }).port, connections, close: () => void server.close() };
}

function assertForbidden(seen: Seen, port: number, what: string): void {
  assert.equal([seen.status, seen.isWhole], [502, true], what);
  assert.is(JSON.parse(seen.body.toString()).error.code, 'origin_forbidden', what);
  const hidden = {
    hosts: [NAME, 'inside.example.com', '127.0.0.1', '127.1.2.3', ORIGIN_ADDRESS, '::1'],
    ports: [port],
  };
  assert.equal(leaksIn(textOf(seen), hidden), [], what);
}

const visitAll = async ({ https, root }: SiteRig, path: string): Promise<Seen[]> => {
  const visitors = [http1Visitor(https, root.pem), http2Visitor(https, root.pem)];
  try {
    const seen: Seen[] = [];
    for (const visitor of visitors)
      seen.push(await visitor.visit(SITE, path, { headers: { accept: 'application/json' } }));
    return seen;
  } finally {
    for (const visitor of visitors) visitor.close();
  }
};

/** Until what was said before has run out. */
const runsOut = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1200));

test('a name that is public when checked and local when connected to', async () => {
  const resolver = await TargetServer.start();
  const inside = await startInside();
  try {
    resolver.set(NAME, PUBLIC);
    await withSites({ WAYPOST_EDGE_RESOLVERS: resolver.address }, async (rig) => {
      await rig.addSite(SITE, { host: NAME, port: inside.port, protocol: 'http' });
      assert.ok(resolver.count(NAME) > 0, 'the check has asked');
      for (const [i, [a, aaaa]] of TURNS.entries()) {
        resolver.set(NAME, a, aaaa);
        const before = resolver.count(NAME);
        for (const seen of await visitAll(rig, `/${i}`)) assertForbidden(seen, inside.port, JSON.stringify([a, aaaa]));
        assert.ok(resolver.count(NAME) > before, 'the name is asked for anew');
        await runsOut();
      }
      assert.is(inside.connections.length, 0);
    });
  } finally {
    inside.close();
    await resolver.close();
  }
});

test('a name that changes after it has served: the open connection continues, a new one is refused', async () => {
  const resolver = await TargetServer.start();
  const origin = await startScriptedOrigin(
    () => (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nCache-Control: no-store\r\n\r\nok'),
  );
  // On the same port of another address.
  const connections: Socket[] = [];
  const inside = createServer((socket) => connections.push(socket.on('error', () => {})));
  inside.listen(origin.port, '127.0.0.1');
  await once(inside, 'listening');
  try {
    resolver.set(NAME, { addresses: [ORIGIN_ADDRESS], ttl: 1 });
    const settings = {
      WAYPOST_EDGE_RESOLVERS: resolver.address,
      WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS,
      WAYPOST_EDGE_ORIGIN_KEEP_ALIVE: '500',
    };
    await withSites(settings, async (rig) => {
      await rig.addSite(SITE, { host: NAME, port: origin.port, protocol: 'http' });
      for (const { status, body } of await visitAll(rig, '/')) assert.equal([status, body.toString()], [200, 'ok']);
      resolver.set(NAME, { addresses: ['127.0.0.1'], ttl: 1 });
      await runsOut();
      await until('the connections of before have ended', () => origin.sockets.size === 0);
      for (const seen of await visitAll(rig, '/')) assertForbidden(seen, origin.port, 'turned');
      assert.is(connections.length, 0);
      // And back: nothing is held against it.
      resolver.set(NAME, { addresses: [ORIGIN_ADDRESS], ttl: 1 });
      await runsOut();
      for (const { status } of await visitAll(rig, '/')) assert.is(status, 200);
    });
  } finally {
    origin.close();
    inside.close();
    await resolver.close();
  }
});

test.run();
