/** What the server under test answers: one path for each thing that rows ask of a handler. */
import type { Exchange, Handler } from '../../../edge/http/exchange/exchange.ts';
import type { FieldList } from '../../../edge/http/exchange/field-list.ts';
import { ReadyAnswer } from '../../../edge/http/exchange/ready-answer.ts';

export const INDEX = 'conformance';
/**
 * More than the window of a connection is at first (RFC 9113 section 6.9.2), and no multiple of a
 * frame.
 */
export const LARGE_BYTES = 200_001;

const PLAIN: FieldList = ['content-type', 'text/plain'];
const index = new ReadyAnswer(200, PLAIN, Buffer.from(INDEX));
const large = new ReadyAnswer(200, PLAIN, Buffer.alloc(LARGE_BYTES, 'x'));
const notModified = new ReadyAnswer(304, ['etag', '"1"'], Buffer.alloc(0));

/** What the handler was given, as text. */
function tell(exchange: Exchange): void {
  const { method, scheme, authority, path, headers, protocol } = exchange;
  exchange.answer(
    new ReadyAnswer(
      200,
      PLAIN,
      Buffer.from(JSON.stringify({ method, scheme, authority, path, headers, protocol }), 'latin1'),
    ),
  );
}

/** The body, once it is whole. */
async function collect(exchange: Exchange): Promise<void> {
  const parts: Uint8Array[] = [];
  for (let part = await exchange.body.read(); part !== null; part = await exchange.body.read()) parts.push(part);
  exchange.answer(new ReadyAnswer(200, PLAIN, Buffer.concat(parts)));
}

/** The body as it comes, and its trailers. */
async function echo(exchange: Exchange): Promise<void> {
  exchange.respond(200, PLAIN);
  await pump(exchange);
}

async function pump(exchange: Exchange): Promise<void> {
  const { body } = exchange;
  for (let part = await body.read(); part !== null; part = await body.read()) {
    if (!exchange.write(part)) await new Promise<void>((done) => exchange.onDrain(done));
  }
  exchange.end(undefined, body.trailers);
}

const PATHS: Readonly<Record<string, Handler>> = {
  '/': (exchange) => exchange.answer(index),
  '/large': (exchange) => exchange.answer(large),
  '/echo': echo,
  '/tell': tell,
  '/collect': collect,
  /** Looks at the body after the bytes that arrived with the head has been read. */
  '/late': async (exchange) => {
    await new Promise((done) => setImmediate(done));
    await collect(exchange);
  },
  '/empty': (exchange) => exchange.answer(new ReadyAnswer(200, PLAIN, Buffer.alloc(0))),
  '/none': (exchange) => exchange.answer(new ReadyAnswer(204, [], Buffer.alloc(0))),
  '/same': (exchange) => exchange.answer(notModified),
  /** Never answers, and never takes its body. */
  '/hold': () => {},
  '/hints': (exchange) => {
    exchange.inform(103, ['link', '</style.css>; rel=preload']);
    exchange.inform(103, ['link', '</script.js>; rel=preload']);
    exchange.answer(index);
  },
  '/trailers': (exchange) => {
    exchange.respond(200, PLAIN);
    exchange.end(Buffer.from(INDEX), ['x-checksum', '1']);
  },
  /** Fields that belong to a connection of HTTP/1.1. */
  '/hop': (exchange) =>
    exchange.answer(new ReadyAnswer(200, ['connection', 'close', 'keep-alive', 'x'], Buffer.from(INDEX))),
  '/streamed-none': (exchange) => {
    exchange.respond(204, ['content-length', '3']);
    exchange.end(Buffer.from('abc'));
  },
  '/streamed': (exchange) => {
    exchange.respond(200, ['content-length', '3']);
    exchange.end(Buffer.from('abc'));
  },
  '/wide': (exchange) => exchange.answer(new ReadyAnswer(200, ['x-wide', 'w'.repeat(40_000)], Buffer.from(INDEX))),
  '/abort': (exchange) => exchange.abort(),
  '/throw': () => {
    throw new Error('The handler of the test fails.');
  },
  '/short': (exchange) => {
    exchange.respond(200, ['content-length', '10']);
    exchange.end(Buffer.from('abc'));
  },
};

/** Every path answers every method, but for tunnels. */
export const site: Handler = (exchange) => {
  if (exchange.method === 'CONNECT') {
    if (exchange.protocol === 'websocket') {
      exchange.upgrade([]);
      if (exchange.path === '/bye') {
        exchange.end(Buffer.from('bye'));
        return;
      }
      return pump(exchange);
    }
    exchange.answer(new ReadyAnswer(501, [], Buffer.alloc(0)));
    return;
  }
  const handler = PATHS[exchange.path];
  if (exchange.path === '*' || handler === undefined) return tell(exchange);
  return handler(exchange);
};
