/** Spans of requests: which are sampled, what they contain, and what the origin receives. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FinishedSpan } from '../../../../core/observe/traces/span.ts';
import { parseTraceParent } from '../../../../core/observe/traces/trace-context.ts';
import type { Exchange } from '../../../../edge/http/exchange/exchange.ts';
import type { FieldList } from '../../../../edge/http/exchange/field-list.ts';
import { OriginError, type OriginRequest, type OriginResponse } from '../../../../edge/origin/origin.ts';
import { RequestTraces, type RequestTracesOptions } from '../../../../edge/origin/traces/request-traces.ts';
import { MAX_SPANS, SpanSender } from '../../../../edge/origin/traces/span-sender.ts';
import { until } from '../../../support/until.ts';
import { FakeExchange, type FakeRequest } from '../../proxy/fake-exchange.ts';

const test = suite('edge/origin/traces/request-traces');

const TRACE = 'a'.repeat(32);
const SPAN = 'b'.repeat(16);
const PROXY = '192.0.2.8';
const ORIGIN = { host: 'origin.test', port: 8080, protocol: 'http' } as const;
/** A request to the origin, and the fields that it was sent with. */
function fetchWith(traces: RequestTraces, exchange: Exchange, status: number, headers: FieldList, method = 'GET') {
  let sent: FieldList | null = null;
  let received: OriginResponse | Error | null = null;
  const send = traces.tracedSend(exchange, (request, receiver) => {
    sent = request.headers;
    if (status === 0) receiver.onFailure(new OriginError('refused', 'no connection'));
    else receiver.onResponse({ status } as OriginResponse);
  });
  send?.({ origin: ORIGIN, method, headers } as OriginRequest, {
    onResponse: (response) => {
      received = response;
    },
    onFailure: (error) => {
      received = error;
    },
  });
  assert.is(received === null, send === null, 'the receiver is called');
  return sent as FieldList | null;
}

const context = (isSampled: boolean): FieldList => [
  ...['traceparent', `00-${TRACE}-${SPAN}-0${isSampled ? 1 : 0}`],
  ...['tracestate', 'a=1', 'tracestate', 'b=2'],
];

function rig(options: Partial<RequestTracesOptions> = {}) {
  const spans: FinishedSpan[] = [];
  const traces = new RequestTraces({
    addressOf: () => '203.0.113.9',
    ...{ ratio: 1, hasQuery: false, trusts: (address: string) => address === PROXY },
    sender: { add: (span) => void spans.push(span) },
    ...options,
  });
  const start = (request: FakeRequest = {}): Exchange => {
    const exchange = new FakeExchange(request);
    traces.recordStart(exchange);
    return exchange;
  };
  const end = (exchange: Exchange, status = 200, fault: string | null = null): void => {
    if (!traces.isActive) return;
    const rest = { site: { domain: 'site.test' }, requestId: 'r1', bytes: 5, cache: 'miss' };
    traces.recordEnd({ exchange, status, fault, ...rest }, 'site');
  };
  return { spans, traces, start, end };
}

const valuesOf = (fields: FieldList, name: string): string[] =>
  fields.filter((_, i) => i % 2 === 1 && fields[i - 1] === name);

test('a span has request and outcome, but no query and no field except User-Agent', () => {
  const { spans, start, end } = rig();
  const exchange = start({
    authority: 'www.site.test:8443',
    path: '/a?token=verysecret',
    headers: ['authorization', 'Bearer verysecret', 'user-agent', 'curl/8', 'cookie', 'sid=verysecret'],
  });
  end(exchange, 502, 'refused');
  const [{ attributes, ...span }] = spans;
  assert.not.match(JSON.stringify(spans), /verysecret/);
  assert.equal([span.name, span.kind, span.parentId, span.link, span.isError], ['GET', 'server', '', null, true]);
  assert.ok(span.start <= span.end);
  assert.equal(attributes, {
    'http.request.method': 'GET',
    'url.scheme': 'https',
    'url.path': '/a',
    'server.address': 'www.site.test',
    'server.port': 8443,
    'client.address': '203.0.113.9',
    'network.protocol.version': '1.1',
    'user_agent.original': 'curl/8',
    'http.response.status_code': 502,
    'http.response.body.size': 5,
    'waypost.destination': 'site',
    'waypost.cache': 'miss',
    'waypost.domain': 'site.test',
    'waypost.request_id': 'r1',
    'error.type': 'refused',
  });
});

test('a span has the query if the operator allows it', () => {
  const { spans, start, end } = rig({ hasQuery: true });
  end(start({ path: '/a?b=c' }));
  end(start({ path: '/a' }));
  assert.equal(
    spans.map(({ attributes }) => attributes['url.query']),
    ['b=c', undefined],
  );
});

test('methods that clients invent share one name', () => {
  const { spans, start, end } = rig();
  end(start({ method: 'BREW' }));
  assert.is(spans[0].name, '_OTHER');
});

test('a request that is not sampled leaves nothing, and its fields as they are', () => {
  const { spans, traces, start, end } = rig({ ratio: 0 });
  const exchange = start({ headers: context(true) });
  assert.not(traces.isActive);
  assert.is(
    traces.tracedSend(exchange, () => {}),
    null,
  );
  end(exchange);
  assert.equal(spans, []);
});

for (const [name, address, ratio, isParentSampled, isRecorded] of [
  ['a trusted parent that is sampled', PROXY, 0, true, true],
  ['a trusted parent that is not sampled', PROXY, 1, false, false],
  ['an untrusted parent that is sampled', '192.0.2.9', 0, true, false],
  ['an untrusted parent that is not sampled', '192.0.2.9', 1, false, true],
] as const)
  test(`the decision of ${name}`, () => {
    const { spans, start, end } = rig({ ratio });
    end(start({ address, headers: context(isParentSampled) }));
    assert.is(spans.length, isRecorded ? 1 : 0);
  });

test('the origin of a trusted client gets the same trace, with the state and a new parent', () => {
  const { spans, traces, start, end } = rig({ ratio: 0 });
  const exchange = start({ address: PROXY, headers: context(true) });
  const fields = fetchWith(traces, exchange, 404, ['accept', '*/*', ...context(true), 'x', 'y']) ?? [];
  end(exchange);
  const [client, server] = spans;
  assert.equal([server.traceId, server.parentId, server.isParentRemote], [TRACE, SPAN, true]);
  assert.equal([client.traceId, client.parentId, client.isParentRemote], [TRACE, server.spanId, false]);
  assert.equal([client.name, client.kind, client.isError], ['GET', 'client', true]);
  assert.equal(client.attributes, {
    'http.request.method': 'GET',
    'server.address': 'origin.test',
    'server.port': 8080,
    'url.scheme': 'http',
    'http.response.status_code': 404,
    'error.type': '404',
  });
  assert.equal(valuesOf(fields, 'traceparent'), [`00-${TRACE}-${client.spanId}-01`]);
  assert.equal(valuesOf(fields, 'tracestate'), ['a=1,b=2']);
  assert.equal(fields.slice(0, 4), ['accept', '*/*', 'x', 'y']);
});

test('the origin of any other client gets a new trace, which links to the client', () => {
  const { spans, traces, start, end } = rig();
  const exchange = start({ headers: context(true) });
  const fields = fetchWith(traces, exchange, 0, context(true), 'POST') ?? [];
  end(exchange);
  const [client, server] = spans;
  assert.is.not(server.traceId, TRACE);
  assert.equal([server.parentId, server.link], ['', { traceId: TRACE, spanId: SPAN }]);
  assert.is(client.attributes['error.type'], 'refused');
  const [sent] = valuesOf(fields, 'traceparent').map(parseTraceParent);
  assert.equal(sent, { traceId: server.traceId, spanId: client.spanId, isSampled: true });
  assert.equal(valuesOf(fields, 'tracestate'), []);
});

test('a repeated traceparent is invalid', () => {
  const { spans, start, end } = rig();
  end(start({ address: PROXY, headers: [...context(true), ...context(true)] }));
  assert.is.not(spans[0].traceId, TRACE);
  assert.is(spans[0].link, null);
});

test('the admin API gets the trace of the edge, and never that of a client', () => {
  const { spans, traces, start, end } = rig();
  const exchange = start({ headers: context(true) });
  const fields = traces.apiFields(exchange, ['host', 'a', ...context(true)]);
  const other = rig({ ratio: 0 });
  const unsampled = other.traces.apiFields(other.start(), ['host', 'a', ...context(true)]);
  end(exchange);
  assert.equal(valuesOf(fields, 'traceparent'), [`00-${spans[0].traceId}-${spans[0].spanId}-01`]);
  assert.equal(unsampled, ['host', 'a']);
});

test('a fetch in the background belongs to the request that has ended', () => {
  const { spans, traces, start, end } = rig();
  const exchange = start();
  end(exchange);
  fetchWith(traces, exchange, 200, []);
  assert.is(spans[1].parentId, spans[0].spanId);
});

test('each attempt at a pool has its span', () => {
  const { spans, traces, start, end } = rig();
  const exchange = start();
  fetchWith(traces, exchange, 0, []);
  fetchWith(traces, exchange, 200, []);
  end(exchange);
  const [failed, served, server] = spans;
  assert.equal([failed.isError, served.isError], [true, false]);
  assert.is.not(failed.spanId, served.spanId);
  assert.equal([failed.parentId, served.parentId], [server.spanId, server.spanId]);
});

test('spans are sent in batches while the main thread keeps up, and dropped beyond a bound', async () => {
  const sent: { readonly count: number; readonly taken: SharedArrayBuffer }[] = [];
  let dropped = 0;
  const sender = new SpanSender({
    send: ({ length: count }, taken) => void sent.push({ count, taken }),
    onDropped: (count) => {
      dropped += count;
    },
  });
  const span = {} as FinishedSpan;
  for (let i = 0; i < 128 * 4 + MAX_SPANS + 3; i++) sender.add(span);
  assert.equal(
    sent.map(({ count }) => count),
    [128, 128, 128, 128],
  );
  assert.is(dropped, 3);
  Atomics.add(new Int32Array(sent[0].taken), 0, 4);
  await until(() => sent.length === 5);
  assert.is(sent[4].count, MAX_SPANS);
  sender.add(span);
  sender.close();
  assert.is(sent[5].count, 1);
});

test.run();
