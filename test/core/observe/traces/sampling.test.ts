/** Which traces are sampled, and which parents are believed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FinishedSpan, spanTime } from '../../../../core/observe/traces/span.ts';
import {
  newSpanId,
  newTraceId,
  parentOf,
  RatioSampler,
  startSpan,
} from '../../../../core/observe/traces/trace-context.ts';
import { type WriteRequest, WriteTraces } from '../../../../core/observe/traces/write-traces.ts';

const test = suite('core/observe/traces/sampling');

const PARENT = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
const sampled = `00-${PARENT.traceId}-${PARENT.spanId}-01`;

/** A generator with a long period, so that each run has the same numbers (xorshift32). */
function repeatable(): () => number {
  let state = 2463534242;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

test('the ratios 0 and 1 are exact', () => {
  const none = new RatioSampler(0);
  const all = new RatioSampler(1);
  for (let i = 0; i < 1000; i++) {
    assert.not(none.isNextSampled());
    assert.ok(all.isNextSampled());
  }
});

for (const ratio of [0.5, 0.1, 0.01])
  test(`a ratio of ${ratio} is met, and the distances have no pattern`, () => {
    const sampler = new RatioSampler(ratio, repeatable());
    const traces = 200_000;
    let count = 0;
    let adjacent = 0;
    let wasSampled = false;
    for (let i = 0; i < traces; i++) {
      const isSampled = sampler.isNextSampled();
      if (isSampled) count++;
      if (isSampled && wasSampled) adjacent++;
      wasSampled = isSampled;
    }
    // Five standard deviations of a binomial distribution; the numbers are the same in each run.
    const near = (found: number, of: number): void => {
      const deviation = Math.sqrt(of * ratio * (1 - ratio));
      assert.ok(Math.abs(found - of * ratio) < 5 * deviation, `${found} of ${of}`);
    };
    near(count, traces);
    // After a sampled trace the next one is sampled as often as any other.
    near(adjacent, count);
  });

test('the largest random number gives a finite distance', () => {
  const sampler = new RatioSampler(0.5, () => 1 - 2 ** -53);
  let distance = 1;
  while (!sampler.isNextSampled()) distance++;
  assert.ok(distance <= 54, String(distance));
});

test('ids are 16 and 32 digits, and differ', () => {
  const spans = new Set(Array.from({ length: 2000 }, newSpanId));
  assert.is(spans.size, 2000);
  for (const id of spans) assert.match(id, /^[0-9a-f]{16}$/);
  assert.match(newTraceId(), /^[0-9a-f]{32}$/);
});

test('the time of a span follows the clock', () => {
  assert.ok(Math.abs(spanTime() - Date.now()) <= 60);
});

test('the trace of a trusted client is continued with its state', () => {
  const parent = parentOf({ traceParent: sampled, traceState: 'a=b' });
  const span = startSpan(parent, ' a=b', true, 5);
  assert.equal(
    [span.traceId, span.parentId, span.isParentRemote, span.traceState, span.link],
    [...[PARENT.traceId, PARENT.spanId, true, 'a=b', null]],
  );
});

test('the trace of any other client is restarted, without its state, and linked', () => {
  const parent = parentOf({ traceParent: sampled, traceState: 'a=b' });
  const span = startSpan(parent, 'a=b', false, 5);
  assert.is.not(span.traceId, PARENT.traceId);
  assert.equal([span.parentId, span.isParentRemote, span.traceState, span.link], ['', false, '', PARENT]);
});

function writes(writeRatio: number) {
  const spans: FinishedSpan[] = [];
  const traces = new WriteTraces({ record: (span) => void spans.push(span), writeRatio });
  const start = (changes: Partial<WriteRequest> = {}): void =>
    traces.start({
      ...{
        requestId: 'r1',
        method: 'POST',
        path: '/api/v1/domains/7/records',
        route: '/api/v1/domains/{domain_id}/records',
      },
      ...{ remoteAddress: '192.0.2.1', scheme: 'http', context: { traceParent: '', traceState: '' }, isTrusted: false },
      ...changes,
    });
  return { spans, traces, start };
}

test('a write has a span for each commit and for the wait for other nodes', () => {
  const { spans, traces, start } = writes(1);
  start();
  const observer = traces.of('r1');
  observer?.startCommit().fail('write_conflict');
  const commit = observer?.startCommit();
  commit?.applied();
  commit?.end(12);
  traces.end('r1', 200, '12');
  assert.is(traces.of('r1'), undefined);
  const [conflict, committed, waited, request] = spans;
  assert.equal(
    spans.map(({ name, kind, isError }) => [name, kind, isError]),
    [
      ['journal commit', 'internal', true],
      ['journal commit', 'internal', false],
      ['replication wait', 'internal', false],
      ['POST /api/v1/domains/{domain_id}/records', 'server', false],
    ],
  );
  for (const child of [conflict, committed, waited])
    assert.equal([child.traceId, child.parentId], [request.traceId, request.spanId]);
  assert.is(new Set(spans.map(({ spanId }) => spanId)).size, 4);
  assert.is(committed.end, waited.start);
  assert.ok(request.start <= conflict.start && waited.end <= request.end);
  assert.is(conflict.attributes['error.type'], 'write_conflict');
  assert.is(committed.attributes['waypost.sequence'], 12);
  assert.equal(request.attributes, {
    'http.request.method': 'POST',
    'http.route': '/api/v1/domains/{domain_id}/records',
    'http.response.status_code': 200,
    'url.path': '/api/v1/domains/7/records',
    'url.scheme': 'http',
    'client.address': '192.0.2.1',
    'waypost.request_id': 'r1',
    'waypost.revision': 12,
  });
});

test('a single node does not wait', () => {
  const { spans, traces, start } = writes(1);
  start();
  traces.of('r1')?.startCommit().end(3);
  traces.end('r1', 503, undefined);
  assert.equal(
    spans.map(({ name, isError }) => [name, isError]),
    [
      ['journal commit', false],
      ['POST /api/v1/domains/{domain_id}/records', true],
    ],
  );
});

for (const [name, ratio, traceParent, isTrusted, isRecorded] of [
  ['a trusted parent that is sampled', 0, sampled, true, true],
  ['a trusted parent that is not sampled', 1, sampled.replace(/1$/, '0'), true, false],
  ['a trusted client without a parent', 1, '', true, true],
  ['an untrusted parent that is sampled', 0, sampled, false, false],
  ['an untrusted parent that is not sampled', 1, sampled.replace(/1$/, '0'), false, true],
] as const)
  test(`the decision of ${name}`, () => {
    const { spans, traces, start } = writes(ratio);
    start({ context: { traceParent, traceState: '' }, isTrusted });
    traces.end('r1', 200, undefined);
    assert.is(spans.length, isRecorded ? 1 : 0);
    if (isRecorded && isTrusted && traceParent !== '') assert.is(spans[0].traceId, PARENT.traceId);
  });

test.run();
