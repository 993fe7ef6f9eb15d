/**
 * Requests that two servers might parse differently (RFC 9112 section 11.2, RFC 9113 section 10.3).
 *
 * They are sent through the whole edge, with and without TLS, to an origin that records each byte.
 * The edge refuses the framing or forwards one defined framing, and the test compares all received
 * bytes. The bytes after a request are parsed as the next one, or not at all if the request was
 * refused.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RawClient } from '../conformance/client.ts';
import { data, END_HEADERS, END_STREAM, headers } from '../conformance/frames.ts';
import { block } from '../conformance/hpack.ts';
import { dial, dialTls, HOST } from '../http/server/rig.ts';
import { FRAMING } from './smuggling-framing.ts';
import { HEADS } from './smuggling-heads.ts';
import { ROWS2 } from './smuggling-http2.ts';
import {
  type Arrival,
  arrival,
  type Edge,
  H,
  requestsIn,
  type Scheme,
  type SharedEdge,
  SMUGGLED,
  startEdge,
} from './smuggling-rig.ts';
import type { Row } from './smuggling-row.ts';

let shared: SharedEdge;
test.before(async () => {
  shared = await startEdge();
});
test.after(() => shared.stop());

const SCHEMES: readonly Scheme[] = ['http', 'https'];
const DEADLINE_MS = 20_000;
const FIRST = `GET /first HTTP/1.1\r\n${H}\r\n`;
const NEXT = `GET /next HTTP/1.1\r\n${H}\r\n`;

/**
 * Sends each part after as many responses as its index. Resolves with all received bytes, one
 * character each, after the last response, or when the edge closes the connection if `answers` is
 * 0.
 */
async function converse({ port, scheme }: Edge, parts: readonly string[], answers: number): Promise<string> {
  const socket = scheme === 'https' ? await dialTls(port) : await dial(port);
  let text = '';
  let sent = 0;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The conversation does not end: ${text}`)), DEADLINE_MS);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const go = (): void => {
      const count = statuses(text).length;
      if (sent < parts.length && count >= sent) socket.write(Buffer.from(parts[sent++], 'latin1'));
      else if (answers > 0 && count === answers && text.endsWith('ok')) end();
    };
    socket.on('data', (part: Buffer) => {
      text += part.toString('latin1');
      go();
    });
    socket.on('close', end);
    socket.on('end', end);
    go();
  });
  socket.destroy();
  return text;
}

/** Statuses of the final responses. */
const statuses = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 ([2-5]\d\d) [\s\S]*?\r\n\r\n/g)].map((match) => Number(match[1]));

const inScheme = (bytes: string, scheme: Scheme): string =>
  scheme === 'https' ? bytes.replace(/(?<= )http:\/\//i, 'https://') : bytes;

/** A complete request: its response, and the request after it. */
function whole([name, bytes, status, arrives = [], isLast]: Row, scheme: Scheme): void {
  const sent = inScheme(bytes, scheme);
  const expected = (more: readonly Arrival[]): string => more.map((item) => arrival(item, '1.1', scheme)).join('');

  test(`${scheme}/1.1: ${name}`, () =>
    shared.withEdge(scheme, async (edge) => {
      // Another site, over a connection whose certificate does not cover it.
      const first = status === 404 && scheme === 'https' ? 421 : status;
      const answers = [first, ...arrives.slice(1).map(() => 200), ...(isLast ? [] : [200])];
      const text = await converse(edge, [sent + (isLast ? '' : NEXT)], isLast ? 0 : answers.length);
      assert.is(edge.arrived(), expected(isLast ? arrives : [...arrives, { path: '/next' }]));
      assert.equal(statuses(text), answers, text);
    }));
}

/** Neither a refused request nor the bytes after it reach the origin. */
function refused([name, bytes, status]: Row, scheme: Scheme): void {
  const sent = inScheme(bytes, scheme);
  test(`${scheme}/1.1: refused: ${name}`, () =>
    shared.withEdge(scheme, async (edge) => {
      const text = await converse(edge, [sent + SMUGGLED], 0);
      assert.equal(statuses(text), [status], text);
      assert.is(edge.arrived(), '');
    }));

  test(`${scheme}/1.1: refused after another request: ${name}`, () =>
    shared.withEdge(scheme, async (edge) => {
      const text = await converse(edge, [FIRST, sent + SMUGGLED], 0);
      assert.equal(statuses(text), [200, status], text);
      // The head may already have been forwarded when the error was found. Then the request is
      // aborted and never completed.
      const seen = edge.arrived();
      assert.equal(requestsIn(seen), ['GET'], seen);
      assert.ok(seen.startsWith(arrival({ path: '/first' }, '1.1', scheme)));
      assert.not.match(seen, 'smuggled');
    }));
}

for (const scheme of SCHEMES)
  for (const row of [...FRAMING, ...HEADS]) (row[3] === undefined ? refused : whole)(row, scheme);

for (const scheme of SCHEMES)
  for (const [name, lines, body, arrives] of ROWS2)
    test(`${scheme}/2: ${name}`, () =>
      shared.withEdge(scheme, async (edge) => {
        const client = await RawClient.connect({ port: edge.port, isTls: scheme === 'https', serverName: HOST });
        await client.handshake();
        const written = lines.map(([key, value]) => [key, key === ':scheme' && value === '' ? scheme : value] as const);
        const parts = body ?? [];
        client.send(headers(1, block(written), body === null ? END_HEADERS | END_STREAM : END_HEADERS));
        for (const [i, part] of parts.entries()) {
          const flags = i === parts.length - 1 ? END_STREAM : 0;
          client.send(typeof part === 'string' ? data(1, part, flags) : headers(1, block(part), END_HEADERS | flags));
        }
        await client.until('an end of the stream', () => {
          const stream = client.streams.get(1);
          return stream?.isEnded || stream?.resetBy !== undefined || client.goaways.length > 0 ? true : undefined;
        });
        if (arrives !== undefined) await edge.ended();
        const seen = edge.arrived();
        // As above: a head that has already been forwarded is aborted.
        if (arrives === undefined) assert.equal(requestsIn(seen), [], seen);
        else assert.is(seen, arrival(arrives, '2', scheme));
        assert.not.match(seen.slice(0, seen.indexOf('\r\n\r\n') + 4), 'smuggled');
        client.socket.destroy();
      }));

test.run();
