/**
 * The table of caching over real HTTP, with HTTP/1.1 and HTTP/2.
 *
 * Each row runs through the edge's server, proxy, cache and origin client, to a node:http origin
 * that answers by the row or resets the connection. Only the clock is simulated.
 */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { test } from 'uvu';
import { parseExemptions } from '../../../core/net/address/index.ts';
import { openCache } from '../../../edge/cache/store/node-cache.ts';
import { openCacheStore } from '../../../edge/cache/store/store.ts';
import type { FieldList } from '../../../edge/http/exchange/field-list.ts';
import { createOriginClient } from '../../../edge/origin/client.ts';
import type { Fetch } from '../../../edge/origin/origin.ts';
import { createSiteProxy } from '../../../edge/proxy/proxy.ts';
import { wholeResponse } from '../../support/http2-response.ts';
import { LEVEL } from '../../support/level.ts';
import { listen } from '../../support/listen.ts';
import { SEED } from '../../support/seed.ts';
import {
  answerFields,
  answersOf,
  bodyOf,
  checkStep,
  fieldList,
  type Observed,
  type Placeholders,
} from '../cache/rules/table/check.ts';
import type { Row, Step } from '../cache/rules/table/row.ts';
import { TABLE } from '../cache/rules/table/table.ts';
import { withRig } from '../http/exchange/rig.ts';
import { BEGIN } from './cache-rig.ts';
import { settled } from './fake-origin.ts';

const AUTHORITY = 'www.example.com';
const MB = 1024 * 1024;

type Reply = Omit<Observed, 'originRequests'>;
type Visitor = (port: number, method: string, path: string, headers: FieldList) => Promise<Reply>;

/** Node's clients keep repeated fields in both directions. */
const byHttp1: Visitor = async (port, method, path, headers) => {
  const outgoing = request({
    port,
    host: '127.0.0.1',
    method,
    path,
    headers: ['host', AUTHORITY, ...headers] as never,
  });
  outgoing.end();
  const [message] = await once(outgoing, 'response');
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part);
  const fields = message.rawHeaders.map((text: string, i: number) => (i % 2 === 0 ? text.toLowerCase() : text));
  return { status: message.statusCode, headers: fields, body: Buffer.concat(parts).toString('latin1') };
};

/** Fields that node:http2 accepts only once. */
const ONE_LINE: ReadonlySet<string> = new Set(['if-none-match', 'range']);

const byHttp2 =
  (session: ClientHttp2Session): Visitor =>
  async (_port, method, path, headers) => {
    const fields: Record<string, string | string[]> = {};
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i];
      const before = fields[name];
      // Spaces around a value are not part of it, and malformed in HTTP/2 (RFC 9113 section 8.2.1).
      const value = headers[i + 1].trim();
      if (before === undefined) fields[name] = value;
      else fields[name] = ONE_LINE.has(name) ? `${before}, ${value}` : [...[before].flat(), value];
    }
    const pseudo = { ':method': method, ':path': path, ':authority': AUTHORITY };
    const stream = session.request({ ...fields, ...pseudo }, { endStream: true });
    const { status, headers: answered, body } = await wholeResponse(stream);
    const { ':status': _, ...others } = answered;
    const flat = Object.entries(others).flatMap(([name, value]) =>
      [value].flat().flatMap((item) => [name, String(item)]),
    );
    return { status, headers: flat, body: body.toString('latin1') };
  };

/** The current behaviour of the origin, and the requests it has received. */
interface Stage {
  step: Step;
  index: number;
  location: Placeholders;
  received: { headers: FieldList; status: number | 'down' }[];
}

type Version = 'http/1.1' | 'h2c' | 'h2';

async function runAll(version: Version, mayInsist: boolean, isDue: (row: number) => boolean): Promise<string[]> {
  const scheme = version === 'h2' ? 'https' : 'http';
  const stage: Stage = { step: TABLE[0].steps[0], index: 0, location: placeOf(scheme, 0), received: [] };
  const now = (): number => BEGIN + (stage.step.at ?? 0) * 1000;
  const server = createServer((message, reply) => {
    const { step, index, location, received } = stage;
    const answers = answersOf(step);
    if (answers === 'down') {
      received.push({ headers: message.rawHeaders, status: 'down' });
      message.socket.resetAndDestroy();
      return;
    }
    const answer = answers[Math.min(received.length, answers.length - 1)];
    const headers = message.rawHeaders.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text));
    const { status = 200 } = answer;
    received.push({ headers, status });
    reply.sendDate = false;
    const isBodiless = message.method === 'HEAD' || status === 304 || status === 204;
    const body = isBodiless ? '' : bodyOf(answer, index);
    const fields = answerFields(answer, step, location);
    const hasLength = fields.some((name, i) => i % 2 === 0 && name === 'content-length');
    reply.writeHead(status, hasLength || isBodiless ? fields : [...fields, 'content-length', String(body.length)]);
    reply.end(body, 'latin1');
  });
  const port = await listen(server);
  const client = createOriginClient({ exemptions: parseExemptions(['127.0.0.1']) });
  const fetch: Fetch = async (asking) => {
    const requestTime = now();
    const { status, headers, body, tunnel, identity: reached } = await client.fetch(asking);
    return { status, headers, body, tunnel, requestTime, responseTime: now(), identity: reached };
  };
  const node = await openCache({
    folder: '',
    disk: 0,
    threads: 1,
    memory: 64 * MB,
    memoryObject: MB,
    largestObject: MB,
  });
  const store = openCacheStore(node.handle);
  const cache = { store, maxBodyBytes: 1000, mayForceRevalidation: mayInsist, clock: now };
  const proxy = createSiteProxy({ fetch, cache }).serve;
  const site = {
    ...{ domainId: 'd', domain: 'example.com', hasCertificate: false, hsts: '', documents: null },
    origin: { host: '127.0.0.1', port, protocol: 'http' as const },
  };
  const failures: string[] = [];
  try {
    await withRig(
      version,
      (exchange) => proxy(exchange, site),
      async (rig) => {
        const session =
          version === 'http/1.1'
            ? undefined
            : connect(`${scheme}://127.0.0.1:${rig.port}`, { rejectUnauthorized: false });
        const visitor = session === undefined ? byHttp1 : byHttp2(session);
        for (const [number, row] of TABLE.entries()) {
          if (!isDue(number) || (row.needs === 'insistence' && !mayInsist)) continue;
          const location = placeOf(scheme, number);
          await runRow(stage, row, location, rig.port, visitor).catch((error) =>
            failures.push(`${row.name}: ${error}`),
          );
        }
        session?.destroy();
      },
    );
  } finally {
    await client.close();
    await store.close();
    server.closeAllConnections();
    server.close();
  }
  return failures;
}

const placeOf = (scheme: string, number: number): Placeholders => ({
  begin: BEGIN,
  base: `/row-${number}`,
  site: `${scheme}://${AUTHORITY}`,
});

async function runRow(stage: Stage, row: Row, location: Placeholders, port: number, visitor: Visitor): Promise<void> {
  stage.location = location;
  for (const [index, step] of row.steps.entries()) {
    Object.assign(stage, { step, index, received: [] });
    const { method = 'GET', path = '/' } = step;
    const reply = await visitor(port, method, `${location.base}${path}`, fieldList(step.headers, location));
    // Background requests and stores finish before the next step.
    for (let i = 0; i < 5; i++) await settled();
    if (step.expect.from === 'stale') await new Promise((resolve) => setTimeout(resolve, 15));
    checkStep(row, index, { ...reply, originRequests: stage.received }, location, true);
  }
}

const RUNS = [
  ['http/1.1', true],
  ['h2c', true],
  ['h2', false],
] as const;
/** Each row then runs over one of them, by the seed: cache-table.test.ts runs all rows. */
const isQuick = LEVEL === 'quick';

for (const [run, [version, mayInsist]] of RUNS.entries())
  test(`${isQuick ? 'a third of the rows' : 'every row'} of the table by ${version}${mayInsist ? '' : ', without forced revalidation'}`, async () => {
    const isDue = (row: number): boolean => !isQuick || (row + SEED) % RUNS.length === run;
    const failures = await runAll(version, mayInsist, isDue);
    if (failures.length > 0) throw new Error(`${failures.length} rows failed:\n${failures.slice(0, 10).join('\n')}`);
  });

test.run();
