/**
 * Origins that fail in every way, and visitors who go at any time, through the whole daemon: each
 * exchange ends with the status that it should have, on a page that says nothing of the origin, or
 * broken; never with a body that looks whole and is not; and nothing of it stays.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { depth } from '../../../support/depth.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { FAULTS, type Fault, scriptOf, TUNNELS, UNINVITED } from './faults.ts';
import { type Hidden, leaksIn } from './leaks.ts';
import { makeRoot, ORIGIN_ADDRESS, type SiteRig, until, withSites } from './rig.ts';
import { type ScriptedOrigin, startScriptedOrigin } from './scripted-origin.ts';
import { Tally } from './tally.ts';
import { type Departure, http1Visitor, http2Visitor, type Seen, textOf, type Visitor } from './visitor.ts';

const EXCHANGES = depth({ quick: 1000, moderate: 1000, full: 4000 });
const VISITORS = 32;
/** Less than the rest after which the edge closes the connection (edge.http1_discarded_octets). */
const UPLOAD = Buffer.alloc(200_000, 'u');
/** Megabytes by which the daemon may grow in the second half of a mix. */
const GROWTH_MB = 48;

const SITE = 'faults.test';
/**
 * Of those that upload: what is not idempotent is not sent again, and so must not come upon a
 * connection that its origin closes just then.
 */
const UPLOAD_SITE = 'uploads.test';
/** Sites whose origin fails before there is any HTTP. */
const CONNECTION_FAULTS: Readonly<Record<string, Fault>> = {
  'refused.test': { script: () => {}, ending: 502, code: 'origin_refused' },
  'plain.test': { script: () => {}, ending: 502, code: 'origin_tls' },
  'mute.test': { script: () => {}, ending: 504, code: 'origin_connect_timeout', isSlow: true },
  'self-signed.test': { script: () => {}, ending: 502, code: 'origin_tls' },
  'other-name.test': { script: () => {}, ending: 502, code: 'origin_tls' },
};
const CLEAR: ReadonlySet<string> = new Set([SITE, UPLOAD_SITE, 'refused.test']);
const siteOf = ({ method }: Fault): string => (method === undefined ? SITE : UPLOAD_SITE);
/** Longer than this machine may stand still for the tests alongside. */
const SETTINGS = {
  WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS,
  WAYPOST_EDGE_ORIGIN_CONNECT_TIMEOUT: '5000',
  WAYPOST_EDGE_ORIGIN_TLS_TIMEOUT: '5000',
  WAYPOST_EDGE_ORIGIN_HEADER_TIMEOUT: '5000',
  WAYPOST_EDGE_ORIGIN_IDLE_TIMEOUT: '5000',
  WAYPOST_EDGE_ORIGIN_KEEP_ALIVE: '500',
  WAYPOST_EDGE_HTTP2_STALL_TIMEOUT: '600000',
};

interface World {
  readonly rig: SiteRig;
  readonly origin: ScriptedOrigin;
  readonly origins: readonly ScriptedOrigin[];
  readonly hidden: Hidden;
  /** Sockets of the daemon before any visit. */
  readonly idle: number;
}

/** Closed at once: a port without a listener. */
async function deadPort(): Promise<number> {
  const server = createServer().listen(0, ORIGIN_ADDRESS);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function withWorld(use: (world: World) => Promise<void>): Promise<void> {
  const originRoot = makeRoot('Root of origins');
  const secure = (root: typeof originRoot, name: string) => startScriptedOrigin(scriptOf, root.issue([name]));
  const origin = await startScriptedOrigin(scriptOf);
  const uploads = await startScriptedOrigin(scriptOf);
  // Speaks before it is asked, and no TLS.
  const talker = createServer((socket) => socket.on('error', () => {}).end('220 mail.test ESMTP\r\n'));
  const mute = createServer((socket) => socket.on('error', () => {}).resume());
  for (const server of [talker, mute]) {
    server.listen(0, ORIGIN_ADDRESS);
    await once(server, 'listening');
  }
  const portOf = (server: typeof talker): number => (server.address() as { port: number }).port;
  const fine = await secure(originRoot, 'secure.test');
  const selfSigned = await secure(makeRoot('Root of nobody'), 'self-signed.test');
  const otherName = await secure(originRoot, 'else.test');
  const ports = {
    [SITE]: origin.port,
    [UPLOAD_SITE]: uploads.port,
    'refused.test': await deadPort(),
    'plain.test': portOf(talker),
    'mute.test': portOf(mute),
    'self-signed.test': selfSigned.port,
    'other-name.test': otherName.port,
    'secure.test': fine.port,
  };
  const origins = [origin, uploads, fine, selfSigned, otherName];
  try {
    await withSites({ ...SETTINGS, WAYPOST_EDGE_ORIGIN_CA_FILE: originRoot.file }, async (rig) => {
      // The client of the API may hold a connection, the edge's sockets are its listeners.
      const idle = rig.sockets();
      for (const [domain, port] of Object.entries(ports)) {
        const protocol = CLEAR.has(domain) ? 'http' : 'https';
        await rig.addSite(domain, { host: ORIGIN_ADDRESS, port, protocol });
      }
      const hidden = { hosts: [ORIGIN_ADDRESS], ports: Object.values(ports) };
      await use({ rig, origin, origins, hidden, idle });
    });
  } finally {
    for (const scripted of origins) scripted.close();
    for (const server of [talker, mute]) server.close();
  }
}

/** The status, or `broken`. */
function endingOf({ status, isWhole }: Seen): string {
  // Over HTTP/1.1 a head that has not left yet goes with the connection.
  if (!isWhole && (status === 200 || status === 0)) return 'broken';
  return `${status}${isWhole ? '' : ' that breaks off'}`;
}

/** What is wrong with how an exchange ended; empty: nothing. */
function faultsOf(seen: Seen, { ending, body }: Fault, hidden: Hidden): string[] {
  const received = endingOf(seen);
  const wrong =
    received === String(ending)
      ? []
      : [`${received}, not ${ending}${seen.error === undefined ? '' : ` (${seen.error})`}`];
  if (seen.isWhole && body !== undefined && seen.body.toString('latin1') !== body)
    wrong.push(`another body: ${seen.body.toString('latin1', 0, 100)}`);
  if (typeof ending === 'number' && ending > 499 && seen.headers['x-request-id'] === undefined)
    wrong.push('no request id');
  return [...wrong, ...leaksIn(textOf(seen), hidden).map((leak) => `tells of its origin: ${leak}`)];
}

/** The page of the edge, as browsers ask for it and as programs do. */
async function pages(visitor: Visitor, host: string, path: string, { code, ...fault }: Fault, hidden: Hidden) {
  const question = fault.method === undefined ? {} : { method: fault.method, body: UPLOAD };
  const html = await visitor.visit(host, path, { ...question, headers: { accept: 'text/html,*/*;q=0.8' } });
  assert.equal(faultsOf(html, fault, hidden), [], `${visitor.version} ${host}${path}`);
  if (code === undefined) return;
  const id = html.headers['x-request-id'];
  assert.match(html.headers['content-type'], /^text\/html/);
  assert.is(html.headers['cache-control'], 'no-store');
  assert.ok(html.body.includes(id), 'the page says the id');
  assert.match(html.body.toString(), /For the owner of this site/);
  const json = await visitor.visit(host, path, { ...question, headers: { accept: 'application/json' } });
  assert.equal(faultsOf(json, fault, hidden), []);
  const event = JSON.parse(json.body.toString());
  assert.equal(
    [event.ok, event.error.code, event.request_id],
    [false, code, json.headers['x-request-id']],
    host + path,
  );
  assert.is.not(event.request_id, id);
}

/** One for each version, who ends when `use` does, whatever comes of it. */
async function withVisitors<T>(
  { rig: { https, root } }: World,
  use: (visitors: readonly Visitor[]) => Promise<T>,
): Promise<T> {
  const visitors = [http1Visitor(https, root.pem), http2Visitor(https, root.pem)];
  try {
    return await use(visitors);
  } finally {
    for (const visitor of visitors) visitor.close();
  }
}

/** Everybody has gone: nothing is open but what was before. */
async function isIdle({ rig, origins, idle }: World): Promise<void> {
  const open = (): number => origins.reduce((sum, { sockets }) => sum + sockets.size, 0);
  const request = (): string => origins.flatMap(({ sockets }) => [...sockets.values()]).join(', ');
  const standing = (): string => `${rig.sockets()} of the daemon, ${idle} before; at origins: ${request()}`;
  await until('no connection to an origin is open', () => open() === 0, standing);
  await until('no socket of the daemon is open that was not before', () => rig.sockets() <= idle, standing);
}

/** What the daemon has written in addition to what is due: that origins fail. */
const oddLines = ({ daemon: { child } }: SiteRig): string[] =>
  child
    .output()
    .split('\n')
    .filter((line) => /warn|error|unhandled|exception|warning|^\s+at /i.test(line))
    .filter((line) => !line.includes('request to an origin failed'));

function assertQuiet(rig: SiteRig): void {
  const { child } = rig.daemon;
  assert.is(child.exited(), false, child.output());
  assert.equal(oddLines(rig), []);
}

test('each fault alone, over both versions: the right error page, which does not reveal the origin', () =>
  withWorld(async (world) => {
    const { hidden } = world;
    const all = (visitor: Visitor): Promise<void>[] => [
      ...Object.entries(FAULTS).map(([name, fault]) =>
        pages(visitor, siteOf(fault), `/${name}?${visitor.version}`, fault, hidden),
      ),
      ...Object.entries(CONNECTION_FAULTS).map(([host, fault]) => pages(visitor, host, '/fine', fault, hidden)),
      pages(visitor, 'secure.test', '/fine', FAULTS.fine, hidden),
    ];
    await withVisitors(world, async (visitors) => {
      for (const visitor of visitors) await Promise.all(all(visitor));
    });
    await isIdle(world);
    assertQuiet(world.rig);
  }));

test('an unsolicited response on an idle connection is not delivered', () =>
  withWorld(async (world) => {
    const { origin, hidden } = world;
    await withVisitors(world, async (visitors) => {
      for (const visitor of [...visitors, ...visitors]) {
        const seen = await visitor.visit(SITE, `/uninvited?${origin.count}`);
        assert.equal(faultsOf(seen, UNINVITED, hidden), []);
        await until('the connection is given up', () => origin.sockets.size === 0);
      }
    });
    await isIdle(world);
  }));

/** One of those who go; resolves with what they went from. */
async function goes(visitor: Visitor, random: Random): Promise<string> {
  const how = random.pick<Departure>(['head', 'head', 'body', 'upload', 'tunnel']);
  const path = {
    head: random.pick(['fine', 'coded', 'close', 'download', 'hang', 'drip', 'reset-in-body', 'endless-head']),
    body: random.pick(['download', 'coded', 'hang-in-body', 'drip']),
    upload: random.pick(['sink', 'sink-early', 'sink-refused', 'sink-reset', 'sink-hang']),
    tunnel: random.pick(Object.keys(TUNNELS)),
  }[how];
  const ms = how === 'body' || how === 'tunnel' ? 200 : random.below(6);
  await visitor.leave(how === 'upload' ? UPLOAD_SITE : SITE, `/${path}?${random.below(1000)}`, how, ms);
  return `${how} of ${path}`;
}

async function mix(world: World): Promise<{ wrong: string[]; memory: number[]; tally: Tally }> {
  const { rig, hidden } = world;
  const random = new Random(SEED);
  const slow = Object.keys(FAULTS).filter((name) => FAULTS[name].isSlow);
  const quick = Object.keys(FAULTS).filter((name) => !FAULTS[name].isSlow);
  const wrong: string[] = [];
  const memory = [rig.memory()];
  const tally = new Tally();
  let begun = 0;

  const stays = async (visitor: Visitor): Promise<void> => {
    const draw = random.below(1000);
    const hosts = Object.keys(CONNECTION_FAULTS).filter((prefix) => draw > 0 || !CONNECTION_FAULTS[prefix].isSlow);
    const name = draw < 40 ? 'fine' : random.pick(draw < 45 ? slow : quick);
    const host = draw < 20 ? random.pick(hosts) : draw < 40 ? 'secure.test' : siteOf(FAULTS[name]);
    const fault = CONNECTION_FAULTS[host] ?? FAULTS[name];
    const request = fault.method === undefined ? {} : { method: fault.method, body: UPLOAD };
    const headers = { 'accept-encoding': 'identity' };
    // Each by itself now and then, and now and then many at once for the same.
    const seen = await visitor.visit(host, `/${name}?${random.below(500)}`, { ...request, headers });
    tally.count(host === siteOf(fault) ? name : host, endingOf(seen));
    for (const fault_ of faultsOf(seen, fault, hidden)) wrong.push(`${visitor.version} ${host}/${name}: ${fault_}`);
  };

  const visits = async (patient: Visitor, hasty: Visitor): Promise<void> => {
    while (begun < EXCHANGES && wrong.length < 20) {
      if (++begun % Math.ceil(EXCHANGES / 10) === 0) memory.push(rig.memory());
      if (random.below(10) < 3) tally.count(await goes(hasty, random), 'left');
      else await stays(patient);
    }
  };

  await withVisitors(world, (patient) =>
    withVisitors(world, (hasty) =>
      Promise.all(Array.from({ length: VISITORS }, (_, i) => visits(patient[i % 2], hasty[i % 2]))),
    ),
  );
  return { wrong, memory, tally };
}

test(`${EXCHANGES} concurrent exchanges of all kinds leave nothing behind`, () =>
  withWorld(async (world) => {
    const { rig } = world;
    const begun = performance.now();
    const descriptors = rig.descriptors();
    const { wrong, memory, tally } = await mix(world);
    // What the daemon says of itself may tell why.
    if (wrong.length > 0) assert.equal([...wrong, ...oddLines(rig)], [], `WAYPOST_SEED=${SEED}`);
    assert.ok(tally.kinds > 50, `${tally.kinds} kinds`);
    await isIdle(world);
    const description = memory.map((figure) => Math.round(figure)).join(', ');
    const seconds = Math.round((performance.now() - begun) / 1000);
    process.stdout.write(`${EXCHANGES} exchanges in ${seconds} s (WAYPOST_SEED=${SEED})\n${tally}`);
    const open = `${descriptors} descriptors before, ${rig.descriptors()} after, ${rig.sockets()} of them sockets`;
    process.stdout.write(`${open}; megabytes after each tenth: ${description}\n`);
    const half = memory.slice(memory.length >> 1);
    assert.ok(half[half.length - 1] - half[0] < GROWTH_MB, `the daemon grows: ${description} MB`);
    assertQuiet(world.rig);
  }));

test.run();
