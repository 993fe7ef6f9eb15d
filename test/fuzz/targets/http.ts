/** Parsers of HTTP and TLS: from visitors, and from origins. */

import {
  formatTraceParent,
  normalizeTraceState,
  parseTraceParent,
} from '../../../core/observe/traces/trace-context.ts';
import { parseRequestCacheControl } from '../../../edge/cache/rules/cache-control.ts';
import { parseHttpDate } from '../../../edge/cache/rules/http-date.ts';
import { readRequest } from '../../../edge/cache/rules/request.ts';
import { parseCdnCacheControl, readResponseFields } from '../../../edge/cache/rules/response-fields.ts';
import { parseCacheTags } from '../../../edge/cache/rules/storable.ts';
import { selectingFields } from '../../../edge/cache/rules/vary.ts';
import { checkStatus } from '../../../edge/certificates/ocsp/status.ts';
import type { Exchange } from '../../../edge/http/exchange/exchange.ts';
import { RequestReader, type RequestSink } from '../../../edge/http/http1/request-reader.ts';
import { HpackDecoder } from '../../../edge/http/http2/hpack/decoder.ts';
import { DEFAULT_LIMITS } from '../../../edge/http/http2/limits.ts';
import { FLAG, FRAME } from '../../../edge/http/http2/protocol.ts';
import { urgencyOf } from '../../../edge/http/http2/scheduler.ts';
import { ClientHello, HELLO } from '../../../edge/http/tls/client-hello.ts';
import { proxyHeader, readProxyHeader } from '../../../edge/http/transport/proxy-protocol.ts';
import { OriginError } from '../../../edge/origin/origin.ts';
import { type ReaderOwner, ResponseReader } from '../../../edge/origin/response-reader.ts';
import { preferredType } from '../../../edge/sites/error-page.ts';
import { response as ocspResponse, target as ocspTarget } from '../../edge/certificates/ocsp/responder.ts';
import {
  block,
  data,
  frame,
  GET,
  headers,
  POST,
  ping,
  Rig,
  reset,
  settings,
  windowUpdate,
} from '../../edge/http/http2/rig.ts';
import { DEFAULT_HTTP1_LIMITS } from '../../edge/http/limits.ts';
import { type Target, tolerate } from '../target.ts';

/** A date at which the seeds of OCSP are valid. */
const now = (): number => Date.now();
const HEAD_LIMIT = 65_536;

class CountingSink implements RequestSink {
  /** Bytes of bodies and fields. */
  bytes = 0;
  isRefused = false;

  mayBegin(): boolean {
    return true;
  }

  onHead(): void {}

  onBody(bytes: Buffer): boolean {
    this.bytes += bytes.length;
    return true;
  }

  onBodyEnd(trailers: readonly string[]): void {
    for (const text of trailers) this.bytes += text.length;
  }

  onRefused(): void {
    if (this.isRefused) throw new Error('refused twice');
    this.isRefused = true;
  }
}

/**
 * The same bytes at once, and in two parts, lead to the same. They end with an empty line: a line
 * that goes on may be refused early.
 */
function readRequests(input: Buffer, parts: readonly Buffer[]): string {
  const sink = new CountingSink();
  const reader = new RequestReader(sink, DEFAULT_HTTP1_LIMITS, false);
  for (const part of parts) if (!sink.isRefused) reader.push(Buffer.from(part));
  if (sink.bytes > input.length) throw new Error('more bytes than were sent');
  return `${sink.bytes} ${sink.isRefused}`;
}

function readResponses(input: Buffer, method: string): void {
  let bytes = 0;
  const owner: ReaderOwner = {
    onInform: () => {},
    onHead: () => {},
    onPart: (_, from, to) => {
      bytes += to - from;
    },
    onEnd: () => {},
  };
  const reader = new ResponseReader(owner, HEAD_LIMIT);
  reader.begin(method, '');
  tolerate(() => {
    if (!reader.isDone) reader.take(input, input.length);
    reader.finish();
  }, OriginError);
  if (bytes > input.length) throw new Error('more bytes than were sent');
}

async function answer(exchange: Exchange): Promise<void> {
  exchange.respond(200, ['x-method', exchange.method]);
  if (exchange.method === 'POST')
    for (let part = await exchange.body.read(); part !== null; part = await exchange.body.read()) exchange.write(part);
  exchange.end();
}

const FIELDS = [
  'cache-control',
  'vary',
  'date',
  'expires',
  'age',
  'etag',
  'last-modified',
  'cdn-cache-control',
  'set-cookie',
  'content-range',
];
const REQUEST_FIELDS = [
  'cache-control',
  'if-none-match',
  'if-modified-since',
  'range',
  'if-range',
  'pragma',
  'accept',
  'authorization',
];
const decoderLimits = { maxListSize: 16_384, maxListCount: 100 };
const hello = new ClientHello();
const HELLO_SEED = Buffer.from(
  '160301004c0100004803030707070707070707070707070707070707070707070707070707070707070707000002130101000' +
    '01d00000009000700000461 2e746573740010000b000908687474702f312e31'.replace(/\s/g, ''),
  'hex',
);

const SOURCE = { address: Uint8Array.of(192, 0, 2, 1), port: 56_324 };

export const HTTP_TARGETS: readonly Target[] = [
  {
    name: 'http1-request',
    seeds: [
      'GET / HTTP/1.1\r\nhost: a.test\r\n\r\n',
      'POST /a?b HTTP/1.1\r\nhost: a.test\r\ncontent-length: 3\r\n\r\nabcGET / HTTP/1.0\r\n\r\n',
      'POST / HTTP/1.1\r\nhost: a.test\r\ntransfer-encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nt: v\r\n\r\n',
      'GET /ws HTTP/1.1\r\nhost: a.test\r\nconnection: upgrade\r\nupgrade: websocket\r\nexpect: 100-continue\r\n\r\n',
      'GET http://a.test:80/x HTTP/1.1\r\nhost: a.test:80\r\nconnection: close\r\n\r\n',
    ],
    words: [
      '\r\n',
      '\n',
      ': ',
      'host: ',
      'content-length: ',
      'transfer-encoding: chunked\r\n',
      '0\r\n\r\n',
      ' HTTP/1.1',
      'OPTIONS * ',
    ],
    run(input) {
      const middle = input.length >> 1;
      const bytes = Buffer.concat([input, Buffer.from('\r\n\r\n')]);
      const whole = readRequests(bytes, [bytes]);
      const cut = readRequests(bytes, [bytes.subarray(0, middle), bytes.subarray(middle)]);
      if (whole !== cut) throw new Error(`at once: ${whole}, in two parts: ${cut}`);
    },
  },
  {
    name: 'http1-response',
    seeds: [
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
      'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\na: b\r\n\r\n',
      'HTTP/1.0 404 Not Found\r\n\r\nbody',
      'HTTP/1.1 304 Not Modified\r\netag: "a"\r\n\r\n',
    ],
    words: [
      '\r\n',
      ': ',
      'content-length: ',
      'transfer-encoding: chunked\r\n',
      '0\r\n\r\n',
      'HTTP/1.1 ',
      'HTTP/1.1 100 \r\n\r\n',
    ],
    run(input) {
      for (const method of ['GET', 'HEAD']) readResponses(input, method);
    },
  },
  {
    name: 'http2-frames',
    seeds: [
      Buffer.concat([headers(1), headers(3, POST, false), data(3, 'abc', true)]),
      Buffer.concat([settings([4, 100_000], [3, 1]), ping(), windowUpdate(0, 1000), headers(1), reset(1)]),
      Buffer.concat([frame(FRAME.HEADERS, 0, 1, block(GET)), frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 1)]),
      Buffer.concat([frame(FRAME.PRIORITY, 0, 1, [0, 0, 0, 0, 1]), frame(FRAME.GOAWAY, 0, 0, Buffer.alloc(8))]),
    ],
    async run(input) {
      const rig = new Rig({ handler: answer });
      const middle = input.length >> 1;
      rig.send(input.subarray(0, middle));
      rig.send(input.subarray(middle));
      if (rig.session.streams.count > DEFAULT_LIMITS.maxConcurrentStreams) throw new Error('too many streams');
      if (rig.session.output.waiting > 256 * 1024) throw new Error(`${rig.session.output.waiting} bytes wait`);
      rig.transport.close();
      await new Promise((done) => setImmediate(done));
      if (rig.closes !== 1 || rig.session.streams.count !== 0) throw new Error('something is left');
    },
  },
  {
    name: 'hpack',
    seeds: [
      block(GET),
      block(POST),
      block(['x-a', 'b', 'cookie', 'c=d']),
      Buffer.from('3fe11f82418cf1e3c2e5f23a6ba0ab90f4ff', 'hex'),
    ],
    run(input) {
      const decoder = new HpackDecoder(decoderLimits);
      let bytes = 0;
      const sink = {
        field: (name: string, value: string) => {
          bytes += name.length + value.length;
        },
      };
      // The second block meets the table of the first.
      for (let i = 0; i < 2; i++) decoder.decode(input, 0, input.length, sink);
      if (bytes > 2 * decoderLimits.maxListSize) throw new Error(`${bytes} bytes of fields`);
    },
  },
  {
    name: 'client-hello',
    seeds: [HELLO_SEED],
    maxBytes: 2000,
    run(input) {
      const whole = hello.read(input, input.length);
      if (whole === HELLO.WHOLE && !/^[\x21-\x7e]*$/.test(hello.serverName)) throw new Error(hello.serverName);
      // A beginning is incomplete, or unusual as the whole is.
      for (const length of [1, 5, 9, input.length >> 1])
        if (length < input.length && hello.read(input, length) === HELLO.UNUSUAL && whole === HELLO.WHOLE)
          throw new Error(`unusual after ${length} bytes`);
    },
  },
  {
    name: 'proxy-header',
    seeds: [
      'PROXY TCP4 192.0.2.1 203.0.113.1 56324 443\r\n',
      'PROXY TCP6 2001:db8::1 2001:db8::2 1 65535\r\nGET /',
      'PROXY UNKNOWN\r\n',
      proxyHeader('v2', SOURCE, SOURCE),
      Buffer.concat([proxyHeader('v2', null, SOURCE), HELLO_SEED]),
    ],
    words: ['PROXY ', 'TCP4 ', 'TCP6 ', 'UNKNOWN', '\r\n', ' ', '::ffff:'],
    maxBytes: 5000,
    run(input) {
      const whole = readProxyHeader(input);
      if (whole === undefined && input.length >= 4096) throw new Error('no decision');
      if (whole == null) return;
      if (whole.length > input.length) throw new Error(`${whole.length} of ${input.length} bytes`);
      for (let length = 0; length < whole.length; length++)
        if (readProxyHeader(input.subarray(0, length)) !== undefined) throw new Error(`decided after ${length} bytes`);
    },
  },
  {
    name: 'trace-context',
    seeds: [
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      'cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-future',
      'rojo=00f067aa0ba902b7 ,\tcongo=t61rcWkgMzE,fw529a3039@dt=FfffFR3H',
    ],
    words: ['00-', 'ff-', '-01', '0000000000000000', '=', ',', '@', ' ', '\t'],
    maxBytes: 1000,
    run(input) {
      const text = input.toString('latin1');
      const parent = parseTraceParent(text);
      if (parent !== null && parseTraceParent(formatTraceParent(parent)) === null) throw new Error('no such parent');
      const state = normalizeTraceState(text);
      if (state.length > 512 || normalizeTraceState(state) !== state) throw new Error(state);
    },
  },
  {
    name: 'http-fields',
    seeds: [
      'max-age=60, s-maxage=10, no-cache="a, b", stale-while-revalidate=5',
      'Sun, 06 Nov 1994 08:49:37 GMT',
      'bytes=0-10, -5, 7-',
      'W/"a", "b", *',
      'text/html;q=0.5, */*;q=0.1',
      'accept-encoding, Accept-Language, *',
      'a, b;c=?1, d=(1 2);e, f=:YQ==:',
      'tag-1, tag-2',
    ],
    words: ['max-age=', 'no-store', 'private', 'bytes=', 'q=', '"', ',', ';', '=', '*', 'W/"', '\\', ':', '(', ')'],
    run(input) {
      const text = input.toString('latin1');
      const request = readRequest(
        'GET',
        REQUEST_FIELDS.flatMap((name) => [name, text]),
        true,
      );
      if (request === undefined) throw new Error('no request');
      readResponseFields(FIELDS.flatMap((name) => [name, text]));
      parseRequestCacheControl(text, true);
      parseCdnCacheControl(text);
      parseHttpDate(text, Date.UTC(2026, 0));
      parseCacheTags(text);
      selectingFields(text, ['accept', text]);
      preferredType(['accept', text], ['text/html', 'text/plain']);
      urgencyOf(text);
    },
  },
  {
    name: 'ocsp-response',
    seeds: [ocspResponse()],
    run(input) {
      tolerate(() => checkStatus(new Uint8Array(input), ocspTarget, now()), Error);
    },
  },
];
