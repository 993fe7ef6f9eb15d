/** What the host answers: a path for each thing that clients and attacks ask for. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AbortError, type Exchange, type Handler } from '../../../../edge/http/exchange/exchange.ts';
import type { FieldList } from '../../../../edge/http/exchange/field-list.ts';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import { GALLERY_PAGE, IMAGE } from './gallery.ts';
import { echoMessages } from './websocket.ts';

export const READY = 'ready '.repeat(300);
/** What the early hints of `/hints` say. */
export const HINT = '</0.svg>; rel=preload; as=image';

const PLAIN: FieldList = ['content-type', 'text/plain'];
const ready = new ReadyAnswer(200, PLAIN, Buffer.from(READY));
const page = new ReadyAnswer(200, ['content-type', 'text/html'], Buffer.from(GALLERY_PAGE));
const image = new ReadyAnswer(200, ['content-type', 'image/svg+xml', 'cache-control', 'no-store'], Buffer.from(IMAGE));
const missing = new ReadyAnswer(404, PLAIN, Buffer.from('missing'));
/** Of downloads: the byte at `i` is `i % 251`, so that one part begins as another one does. */
const PART_BYTES = 251 * 256;
const part = Buffer.from(Array.from({ length: PART_BYTES }, (_, i) => i % 251));

/** SHA-256, in hexadecimal, of a download of so many bytes. */
export function downloadHash(bytes: number): string {
  const hash = createHash('sha256');
  for (let left = bytes; left > 0; left -= PART_BYTES) hash.update(part.subarray(0, Math.min(left, PART_BYTES)));
  return hash.digest('hex');
}

const drained = (exchange: Exchange): Promise<void> =>
  new Promise((done) => {
    exchange.onDrain(done);
    exchange.onAbort(() => done());
  });

async function echo(exchange: Exchange): Promise<void> {
  const { body } = exchange;
  exchange.respond(200, PLAIN);
  for (let bytes = await body.read(); bytes !== null; bytes = await body.read())
    if (!exchange.write(bytes)) await drained(exchange);
  exchange.end(undefined, body.trailers);
}

/** Takes the body, and says what it was. */
async function sink(exchange: Exchange): Promise<void> {
  const { body } = exchange;
  const hash = createHash('sha256');
  let bytes = 0;
  for (let message = await body.read(); message !== null; message = await body.read()) {
    hash.update(message);
    bytes += message.length;
  }
  const event = { bytes, hash: hash.digest('hex'), length: body.length ?? null, trailers: body.trailers };
  exchange.answer(new ReadyAnswer(200, ['content-type', 'application/json'], Buffer.from(JSON.stringify(event))));
}

async function take({ body }: Exchange): Promise<void> {
  for (let bytes = await body.read(); bytes !== null; bytes = await body.read());
}

/**
 * Parts after which what was sent is collected: V8 by itself collects after 64 MB of garbage in
 * buffers, as much as a test lets memory grow.
 */
const COLLECTED_PARTS = 128;

async function download(exchange: Exchange, bytes: number): Promise<void> {
  exchange.respond(200, ['content-type', 'application/octet-stream', 'content-length', String(bytes)]);
  for (let left = bytes, parts = 1; left > 0 && !exchange.isEnded; left -= PART_BYTES, parts++) {
    if (parts % COLLECTED_PARTS === 0) await globalThis.gc?.({ type: 'minor', execution: 'async' });
    // A copy: what waits for a client has to take memory of its own, as bodies do.
    if (!exchange.write(Buffer.from(part.subarray(0, Math.min(left, PART_BYTES))))) await drained(exchange);
  }
  exchange.end();
}

/** `parts` pieces with some milliseconds between. */
async function slow(exchange: Exchange, parts: number): Promise<void> {
  exchange.respond(200, PLAIN);
  for (let i = 0; i < parts && !exchange.isEnded; i++) {
    exchange.write(Buffer.from(`${i}\n`));
    await sleep(20);
  }
  exchange.end();
}

function tell({ version, method, scheme, authority, path, headers, client }: Exchange): ReadyAnswer {
  const event = { version, method, scheme, authority, path, headers, serverName: client.serverName };
  return new ReadyAnswer(200, ['content-type', 'application/json'], Buffer.from(JSON.stringify(event)));
}

const answering: Handler = (exchange) => {
  const [, name, count] = exchange.path.split(/[/?]/);
  switch (name) {
    case '':
    case 'ready':
      return exchange.answer(ready);
    case 'page':
      return exchange.answer(page);
    case 'image':
      return exchange.answer(image);
    case 'tell':
      return exchange.answer(tell(exchange));
    case 'echo':
      return echo(exchange);
    case 'sink':
      return sink(exchange);
    case 'download':
      return download(exchange, Number(count));
    case 'slow':
      return slow(exchange, Number(count));
    /** Keeps the thread from its loop for so many milliseconds. */
    case 'block':
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(count));
      return exchange.answer(ready);
    /** Never answers; takes what comes. */
    case 'hold':
      return take(exchange);
    case 'hints':
      exchange.inform(103, ['link', HINT]);
      return exchange.answer(ready);
    case 'trailers':
      exchange.respond(200, [...PLAIN, 'trailer', 'x-sum']);
      return exchange.end(Buffer.from(READY), ['x-sum', String(READY.length)]);
    case 'socket':
      return exchange.protocol === 'websocket' ? echoMessages(exchange) : exchange.answer(missing);
    default:
      return exchange.answer(missing);
  }
};

/** What clients break off is no failure of the site. */
export const site: Handler = async (exchange) => {
  try {
    await answering(exchange);
  } catch (error) {
    if (!(error instanceof AbortError)) throw error;
  }
};
