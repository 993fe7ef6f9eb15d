/**
 * Our codec against that of node:http2 (nghttp2), which is client in one test and server in the
 * other: what one side encodes the other decodes, in tables whose sizes both change.
 */
import { once } from 'node:events';
import * as http2 from 'node:http2';
import { connect, createServer, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NEVER_INDEXED } from '../../../../../edge/http/http2/hpack/decoder.ts';
import { depth } from '../../../../support/depth.ts';
import { listen } from '../../../../support/listen.ts';
import { Random } from '../../../../support/random.ts';
import { SEED } from '../../../../support/seed.ts';
import { FramePeer } from './frame-peer.ts';
import { type HeaderList, Lists } from './lists.ts';

const CASES = depth({ quick: 2000, moderate: 4000, full: 100_000 });
/** Lists each way, and batches before a new connection with new tables. */
const BATCH = 50;
const BATCHES = 20;
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const TABLE_SIZES = [0, 31, 64, 100, 300, 1000, 4096, 4097, 8192, 65_536];

/** nghttp2's encoder uses what the other side allows, not only what the protocol begins with. */
const NODE_OPTIONS = { maxSessionMemory: 100, maxDeflateDynamicTableSize: 65_536 };

const test = suite(`HPACK and node:http2, seed ${SEED}`);

/** Lines that came, and those that were sent. */
function compare(what: string, got: readonly string[] | undefined, sent: HeaderList): void {
  assert.equal(got, sent.flat, what);
}

/** Whatever the sender calls secret comes as never indexed; nghttp2 adds some of its own. */
function compareSecrets(lines: readonly string[], flags: readonly number[], sent: HeaderList): void {
  flags.forEach((flag, i) => {
    const name = lines[i * 2];
    if (sent.secret.includes(name)) assert.ok((flag & NEVER_INDEXED) !== 0, `${name} is secret`);
    else if (name !== 'authorization' && name !== 'cookie') assert.is(flag & NEVER_INDEXED, 0, `${name} is no secret`);
  });
}

const rawOf = (args: readonly unknown[]): string[] => args[args.length - 1] as string[];

/** Runs batches over connections that `open` makes, until there were enough cases. */
async function run(open: () => Promise<Connection>, random: Random): Promise<void> {
  const lists = new Lists(random);
  let done = 0;
  while (done < CASES / 2) {
    const connection = await open();
    try {
      for (let batch = 0; batch < BATCHES && done < CASES / 2; batch++, done += 2 * BATCH) {
        if (random.below(4) === 0) connection.peer.sendSettings(random.pick(TABLE_SIZES));
        if (random.below(8) === 0) connection.peer.sendSettings(random.pick(TABLE_SIZES));
        await connection.peer.settled();
        if (random.below(4) === 0) await connection.settings(random.pick(TABLE_SIZES));
        const pairs = Array.from({ length: BATCH }, () => ({ request: lists.request(), response: lists.response() }));
        await connection.exchange(pairs);
        connection.peer.check();
      }
    } finally {
      connection.close();
    }
  }
}

interface Pair {
  readonly request: HeaderList;
  readonly response: HeaderList;
}

interface Connection {
  readonly peer: FramePeer;
  /** Sends SETTINGS of node's side and waits until they are acknowledged. */
  settings(tableSize: number): Promise<void>;
  exchange(pairs: readonly Pair[]): Promise<void>;
  close(): void;
}

/** All of these, or the first failure of what they wait for. */
const changed = (session: http2.Http2Session, headerTableSize: number): Promise<void> =>
  new Promise((resolve, reject) =>
    session.settings({ headerTableSize }, (error) => (error === null ? resolve() : reject(error))),
  );

test('node:http2 as the client', async () => {
  const random = new Random(SEED);
  const server = createServer();
  const port = await listen(server);
  const open = async (): Promise<Connection> => {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const client = http2.connect(`http://127.0.0.1:${port}`, NODE_OPTIONS);
    const failed = new Promise<never>((_, reject) => client.on('error', reject));
    failed.catch(() => {}); // it is waited for where something is exchanged
    const [socket] = await accepted;
    const peer = new FramePeer(socket, random.pick([0, 200, 4096, 16_384]), PREFACE.length);
    peer.sendSettings();
    return {
      peer,
      settings: (size) => Promise.race([changed(client, size), failed]),
      close: () => client.destroy(),
      exchange: async (pairs) => {
        const responses: string[][] = [];
        let received = 0;
        peer.onList = (stream, lines, flags) => {
          const { request, response } = pairs[received++];
          compare('request', lines, request);
          compareSecrets(lines, flags, request);
          peer.sendList(stream, response.flat);
        };
        const ends = pairs.map(async ({ request }, i) => {
          const stream = client.request(request.object, { endStream: true });
          stream.on('response', (...args) => {
            responses[i] = rawOf(args);
          });
          stream.resume();
          await once(stream, 'close');
        });
        await Promise.race([Promise.all(ends), failed]);
        peer.check();
        pairs.forEach(({ response }, i) => {
          compare('response', responses[i], response);
        });
      },
    };
  };
  try {
    await run(open, random);
  } finally {
    server.close();
  }
});

test('node:http2 as the server', async () => {
  const random = new Random(SEED + 1);
  const server = http2.createServer(NODE_OPTIONS);
  const port = await listen(server);
  const open = async (): Promise<Connection> => {
    const accepted = once(server, 'session') as Promise<[http2.ServerHttp2Session]>;
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(PREFACE);
    const peer = new FramePeer(socket, random.pick([0, 200, 4096, 16_384]), 0);
    peer.sendSettings();
    const [session] = await accepted;
    const failed = new Promise<never>((_, reject) => {
      session.on('error', reject);
      socket.on('close', () => reject(new Error('the connection was closed')));
    });
    failed.catch(() => {}); // it is waited for where something is exchanged
    let stream = 1;
    return {
      peer,
      settings: (size) => Promise.race([changed(session, size), failed]),
      close: () => socket.destroy(),
      exchange: async (pairs) => {
        const first = stream;
        const requests: string[][] = [];
        let received = 0;
        session.removeAllListeners('stream');
        session.on('stream', (...args) => {
          const [incoming] = args;
          const i = ((incoming.id as number) - first) / 2;
          requests[i] = rawOf(args);
          incoming.on('error', () => {}); // it is the session that tells
          incoming.resume();
          incoming.respond(pairs[i].response.object, { endStream: true });
        });
        const ended = new Promise<void>((resolve) => {
          peer.onList = (id, lines, flags) => {
            const { response } = pairs[(id - first) / 2];
            compare('response', lines, response);
            compareSecrets(lines, flags, response);
            if (++received === pairs.length) resolve();
          };
        });
        for (const { request } of pairs) {
          peer.sendList(stream, request.flat);
          stream += 2;
        }
        await Promise.race([ended, failed.catch((error) => Promise.reject(failureOf(peer, error)))]);
        pairs.forEach(({ request }, i) => {
          compare('request', requests[i], request);
        });
      },
    };
  };
  try {
    await run(open, random);
  } finally {
    server.close();
  }
});

/** What the peer found says more than that the connection ended. */
function failureOf(peer: FramePeer, error: unknown): unknown {
  try {
    peer.check();
    return error;
  } catch (found) {
    return found;
  }
}

test.run();
