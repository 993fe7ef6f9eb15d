/**
 * Traces of the daemon: a collector gets the spans of a write and of requests, with their parents,
 * and origins get the trace.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseTraceParent } from '../../../../core/observe/traces/trace-context.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../../support/daemon.ts';
import { listen } from '../../../support/listen.ts';
import { freePort } from '../../../support/ports.ts';
import { untilIs } from '../../../support/until.ts';

const ADMIN = 'admin.waypost.test';
const SITE = 'site.test';
const TRACE = 'a'.repeat(32);
const PARENT = 'b'.repeat(16);
/** The second is a trusted proxy. */
const [VISITOR, PROXY] = ['127.0.0.1', '127.0.0.2'];

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly links?: readonly { readonly traceId: string }[];
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, string | number>> }[];
}

const attribute = ({ attributes }: Span, name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

test('a write and requests are traced, from the visitor to the journal and to the origin', async () => {
  const spans: Span[] = [];
  const collector = createServer(async (incoming, reply) => {
    const { resourceSpans } = (await json(incoming)) as {
      resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
    };
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    reply.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const seen: IncomingHttpHeaders[] = [];
  const origin = createServer(({ headers }, reply) => {
    seen.push(headers);
    reply.setHeader('cache-control', 'max-age=600').end('hello');
  });
  const [collectorPort, originPort, httpPort] = [await listen(collector), await listen(origin), await freePort()];
  const daemon = await startDaemon({
    WAYPOST_TRACES_ENDPOINT: `http://127.0.0.1:${collectorPort}`,
    WAYPOST_TRACES_RATIO: '1',
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${httpPort}`,
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    WAYPOST_EDGE_TRUSTED_PROXIES: PROXY,
    WAYPOST_ADMIN_HOSTNAME: ADMIN,
  });
  const send = async (
    localAddress: string,
    method: string,
    url: string,
    headers: Record<string, string>,
    body = '',
  ): Promise<{ status: number; text: string }> => {
    const [host, path] = [url.slice(0, url.indexOf('/')), url.slice(url.indexOf('/'))];
    const options = { host: '127.0.0.1', port: httpPort, localAddress, method, path, headers: { host, ...headers } };
    const outgoing = request(options).end(body);
    const [message] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { status: message.statusCode ?? 0, text: await text(message) };
  };
  try {
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await api.createDomain(SITE);
    await api.createRecord(id, '@', 'A', '192.0.2.7');
    await api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin: '127.0.0.1', port: originPort, protocol: 'http' });
    await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
    const context = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=1' };
    await untilIs(async () => (await send(VISITOR, 'GET', `${SITE}/first?secret=1`, context)).text, 'hello');
    await send(VISITOR, 'GET', `${SITE}/first?secret=1`, {});
    await send(PROXY, 'GET', `${SITE}/second`, context);
    // A write through the edge, whose proxy has ended TLS.
    const { token } = JSON.parse(
      (
        await send(
          PROXY,
          'POST',
          `${ADMIN}/api/v1/auth/token`,
          { 'x-forwarded-proto': 'https', 'content-type': 'application/json', ...context },
          JSON.stringify({ login: 'admin', password: ADMIN_PASSWORD, name: 'traced' }),
        )
      ).text,
    ) as { token?: string };
    assert.ok(token);
    // The rest is sent when the daemon stops.
    assert.is(await daemon.stop(), 0);

    assert.not.match(JSON.stringify(spans), /secret=1|correct horse/);
    const requests = (path: string, kind: number): Span[] =>
      spans.filter((span) => span.kind === kind && attribute(span, 'url.path') === path);
    const childrenOf = (parent: Span): string[] =>
      spans
        .filter(({ parentSpanId, traceId }) => parentSpanId === parent.spanId && traceId === parent.traceId)
        .map(({ name }) => name)
        .sort();

    // A write to the API itself.
    const [write] = requests(`/api/v1/domains/${id}/records`, 2);
    assert.is(write.name, 'POST /api/v1/domains/{domain_id}/records');
    assert.is(write.parentSpanId, undefined);
    assert.equal(childrenOf(write), ['journal commit']);

    // A visitor's trace is restarted. The second request is a cache hit.
    const served = requests('/first', 2).filter((span) => Number(attribute(span, 'http.response.status_code')) === 200);
    const [miss, hit] = served;
    assert.is.not(miss.traceId, TRACE);
    assert.is(miss.links?.[0].traceId, TRACE);
    assert.equal([childrenOf(miss), childrenOf(hit)], [['GET'], []]);
    assert.equal([attribute(miss, 'waypost.cache'), attribute(hit, 'waypost.cache')], ['miss', 'hit']);
    const clientOf = (parent: Span): Span | undefined =>
      spans.find(({ parentSpanId }) => parentSpanId === parent.spanId);
    const expected = (parent: Span) => ({
      traceId: parent.traceId,
      spanId: clientOf(parent)?.spanId,
      isSampled: true,
    });
    assert.equal(parseTraceParent(String(seen[0].traceparent)), expected(miss));
    assert.is(seen[0].tracestate, undefined);

    // That of a trusted proxy is continued.
    const [continued] = requests('/second', 2);
    assert.equal([continued.traceId, continued.parentSpanId], [TRACE, PARENT]);
    assert.equal(parseTraceParent(String(seen[1].traceparent)), expected(continued));
    assert.is(seen[1].tracestate, 'vendor=1');

    // The write through the edge: proxy, edge, API, journal.
    const through = requests('/api/v1/auth/token', 2).filter(({ traceId }) => traceId === TRACE);
    const edge = through.find(({ parentSpanId }) => parentSpanId === PARENT) as Span;
    const own = through.find(({ parentSpanId }) => parentSpanId === edge.spanId) as Span;
    assert.equal([edge.name, own.name], ['POST', 'POST /api/v1/auth/token']);
    assert.equal(childrenOf(own), ['journal commit']);
  } finally {
    await daemon.close();
    for (const server of [collector, origin]) {
      server.closeAllConnections();
      server.close();
    }
  }
});

test.run();
