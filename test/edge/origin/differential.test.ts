/**
 * Well-formed responses are read as node:http reads them, from the same origin over real
 * connections.
 */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as nodeRequest } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { depth } from '../../support/depth.ts';
import fc from '../../support/fc.ts';
import { generated } from './generated.ts';
import { request, type Script, type Seen, seen, withOrigin } from './rig.ts';

const CASES = depth({ quick: 200, moderate: 1000, full: 10_000 });
/** What concerned the connection: node tells it, too. */
const OF_CONNECTION = new Set(['connection', 'transfer-encoding', 'content-length', 'x-named']);

async function byNode(port: number, method: string, agent: Agent): Promise<Seen> {
  const sent = nodeRequest({ host: '127.0.0.1', port, method, agent });
  sent.on('information', () => {});
  sent.end();
  const [message] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const part of message) body += (part as Buffer).toString('latin1');
  const headers = lowered(message.rawHeaders).filter((_, i, all) => !OF_CONNECTION.has(all[i & ~1]));
  return { status: message.statusCode!, headers, body, trailers: lowered(message.rawTrailers) };
}

const lowered = (fields: readonly string[]): string[] =>
  fields.map((field, i) => (i % 2 === 0 ? field.toLowerCase() : field));

test('responses are read like node:http does, and connections are kept as the response says', async () => {
  let now = { bytes: '', isClosed: false };
  const script: Script = (socket) => {
    socket.write(Buffer.from(now.bytes, 'latin1'));
    if (now.isClosed) socket.end();
  };
  await withOrigin(script, async (origin, { fetch }) => {
    const agent = new Agent({ keepAlive: false });
    await fc.assert(
      fc.asyncProperty(generated, async (sample) => {
        // RFC 9110 section 8.6 lets a recipient take a list of equal lengths; node does not.
        fc.pre(!/content-length: \d+,/i.test(sample.bytes));
        // Nor a blank before a semicolon, or obs-text behind it, in chunk extensions (RFC 9112
        // section 7.1.1).
        fc.pre(!/ ;a=|;\x80/.test(sample.bytes));
        now = sample;
        const ours = await seen(fetch(request(origin.port, { method: sample.method })));
        const { informs: _, isKept, ...meant } = sample.meaning;
        assert.equal(ours, meant);
        const before = origin.accepted;
        const theirs = await byNode(origin.port, sample.method, agent);
        assert.equal(
          { ...ours, headers: ours.headers.filter((_item, i, all) => !OF_CONNECTION.has(all[i & ~1])) },
          theirs,
        );
        now = { bytes: 'HTTP/1.1 204 No\r\n\r\n', isClosed: false };
        await seen(fetch(request(origin.port)));
        assert.is(origin.accepted - before, isKept ? 1 : 2, isKept ? 'kept' : 'not kept');
      }),
      { numRuns: CASES },
    );
  });
});

test.run();
