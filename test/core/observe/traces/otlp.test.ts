/** OTLP over HTTP: what a collector receives. */
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readHeadersFile } from '../../../../core/observe/traces/headers-file.ts';
import { createOtlpSender, highResolution } from '../../../../core/observe/traces/otlp.ts';
import type { FinishedSpan } from '../../../../core/observe/traces/span.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

const test = suite('core/observe/traces/otlp');

const folder = temporaryFolder('traces');
test.after(() => removeFolder(folder));

const SPAN: FinishedSpan = {
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  parentId: 'c'.repeat(16),
  isParentRemote: true,
  traceState: 'x=y',
  link: null,
  name: 'GET',
  kind: 'server',
  start: 1_700_000_000_123.5,
  end: 1_700_000_000_125.75,
  attributes: { 'http.response.status_code': 502, 'url.path': '/' },
  isError: true,
};

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, never>;
}

async function withCollector(
  status: number,
  use: (url: string, received: Received[]) => Promise<void>,
  answer = '{}',
): Promise<void> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: (await json(request)) as Received['body'] });
    response.writeHead(status, { 'content-type': 'application/json' }).end(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, received);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function headersFile(text: string): string {
  const file = join(folder, 'headers');
  writeFileSync(file, text);
  chmodSync(file, 0o600);
  return file;
}

const OPTIONS = { serviceName: 'edge-1', version: '1.2.3', nodeName: 'ns1', headersFile: undefined };

test('spans arrive as JSON, with resource, parent, state, times and status', () =>
  withCollector(200, async (endpoint, received) => {
    const file = headersFile('# credentials\n\nauthorization: Bearer abc def\nx-tenant:7\n');
    const send = createOtlpSender({ ...OPTIONS, endpoint, headersFile: file });
    const root = { ...SPAN, parentId: '', link: { traceId: 'd'.repeat(32), spanId: 'e'.repeat(16) }, isError: false };
    await send([SPAN, root]);
    const [{ headers, body }] = received;
    assert.equal(
      [headers['content-type'], headers.authorization, headers['x-tenant']],
      ['application/json', 'Bearer abc def', '7'],
    );
    const [{ resource, scopeSpans }] = body.resourceSpans as never as {
      resource: { attributes: { key: string; value: { stringValue: string } }[] };
      scopeSpans: { scope: object; spans: Record<string, unknown>[] }[];
    }[];
    assert.equal(
      resource.attributes.map(({ key, value }) => [key, value.stringValue]),
      [
        ['service.name', 'edge-1'],
        ['service.version', '1.2.3'],
        ['service.instance.id', 'ns1'],
      ],
    );
    const [first, second] = scopeSpans[0].spans;
    assert.equal(
      [first.traceId, first.spanId, first.parentSpanId, first.traceState, first.name, first.kind],
      [SPAN.traceId, SPAN.spanId, SPAN.parentId, 'x=y', 'GET', 2],
    );
    assert.equal([first.startTimeUnixNano, first.endTimeUnixNano], ['1700000000123500000', '1700000000125750000']);
    assert.is((first.status as { code: number }).code, 2);
    assert.equal(
      [second.parentSpanId, (second.links as { traceId: string }[])[0].traceId],
      [undefined, 'd'.repeat(32)],
    );
    // A new credential needs no restart.
    headersFile('authorization: Bearer new');
    await send([SPAN]);
    assert.is(received[1].headers.authorization, 'Bearer new');
  }));

test('a partial success says how many spans the collector rejected', async () => {
  for (const [answer, rejected] of [
    ['{}', 0],
    ['{"partialSuccess":{}}', 0],
    ['{"partialSuccess":{"rejectedSpans":"0","errorMessage":"a hint"}}', 0],
    ['{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}', 2],
    ['{"partialSuccess":{"rejectedSpans":1}}', 1],
    ['no JSON', 0],
  ] as const)
    await withCollector(
      200,
      async (endpoint) => {
        const send = createOtlpSender({ ...OPTIONS, endpoint });
        const { rejected: found, reason } = await send([SPAN, SPAN]);
        assert.is(found, rejected, answer);
        if (rejected === 2) assert.is(reason, 'the collector rejected 2 spans: too old');
        // The next batch is accepted.
        assert.type((await send([SPAN])).rejected, 'number');
      },
      answer,
    );
});

test('a refusal is an error', () =>
  withCollector(401, async (endpoint) => {
    const send = createOtlpSender({ ...OPTIONS, endpoint });
    let failure: unknown;
    await send([SPAN]).catch((error: unknown) => {
      failure = error;
    });
    assert.instance(failure, Error);
    assert.match((failure as Error).message, /Unauthorized/);
  }));

test('a file of headers that is unusable is an error without its content', () => {
  for (const text of ['verysecret', 'a b: verysecret', 'content-type: verysecret', 'x: very\u0001secret', 'x:'])
    assert.throws(
      () => readHeadersFile(headersFile(`ok: 1\n${text}\n`)),
      (error: Error) => /line 2 of/.test(error.message) && !error.message.includes('secret'),
      text,
    );
  assert.throws(() => readHeadersFile(join(folder, 'none')), /does not exist/);
  const file = headersFile('a: b');
  chmodSync(file, 0o644);
  assert.throws(() => readHeadersFile(file), /accessible to other users/);
});

test('times have nanoseconds below one second', () => {
  assert.equal(highResolution(1999.9999999), [2, 0]);
  assert.equal(highResolution(0.001), [0, 1000]);
});

test.run();
