/** Sends packets to a nameserver on loopback and returns its packets, without decoding them. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from './patience.ts';

const HOST = '127.0.0.1';

/**
 * Sends queries over one UDP socket. IDs must differ between pending queries, so at most 65,536 can
 * be pending.
 */
export class UdpClient {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (response: Uint8Array) => void>();
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (message) => {
      if (message.length < 2) return;
      const id = message.readUInt16BE(0);
      this.#waiting.get(id)?.(new Uint8Array(message));
      this.#waiting.delete(id);
    });
    // A closed port raises an error event; the timeout of the query reports it.
    socket.on('error', () => {});
  }

  static async connect(port: number, host = HOST): Promise<UdpClient> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20, sendBufferSize: 1 << 20 });
    socket.connect(port, host);
    await once(socket, 'connect');
    return new UdpClient(socket);
  }

  /**
   * The response with the ID of the packet; null: none within `ms` milliseconds for each of `tries`
   * attempts, or closed.
   */
  async query(packet: Uint8Array, ms = 1000, tries = 3): Promise<Uint8Array | null> {
    const id = (packet[0] << 8) | packet[1];
    if (this.#waiting.has(id)) throw new Error(`A query with ID ${id} is under way.`);
    for (let i = 0; i < tries && !this.#isClosed; i++) {
      const response = await new Promise<Uint8Array | null>((done) => {
        const timer = setTimeout(() => done(null), ms);
        this.#waiting.set(id, (message) => {
          clearTimeout(timer);
          done(message);
        });
        this.#socket.send(packet);
      });
      this.#waiting.delete(id);
      if (response !== null) return response;
    }
    return null;
  }

  /** Sends without waiting for a response. */
  send(packet: Uint8Array): void {
    this.#socket.send(packet);
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.close();
  }
}

/**
 * Returns responses in the order of the packets, with up to `window` queries pending. IDs must
 * differ within a window.
 */
export async function queryAll(
  client: UdpClient,
  packets: readonly Uint8Array[],
  window = 100,
): Promise<(Uint8Array | null)[]> {
  const responses: (Uint8Array | null)[] = new Array(packets.length).fill(null);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < packets.length) {
      const i = next++;
      responses[i] = await client.query(packets[i]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(window, packets.length) }, lane));
  return responses;
}

/**
 * Sends all packets at once over one connection (RFC 7766 pipelining). Returns responses in arrival
 * order. Rejects after `ms` milliseconds.
 */
export async function queryTcp(port: number, packets: readonly Uint8Array[], ms = PATIENCE_MS): Promise<Uint8Array[]> {
  const socket = connect(port, HOST);
  const responses: Uint8Array[] = [];
  const framed = packets.map((packet) =>
    Buffer.concat([Uint8Array.of(packet.length >> 8, packet.length & 255), packet]),
  );
  socket.write(Buffer.concat(framed));
  let rest = Buffer.alloc(0);
  const read = (async (): Promise<void> => {
    for await (const chunk of socket) {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        responses.push(new Uint8Array(rest.subarray(2, 2 + rest.readUInt16BE(0))));
        rest = rest.subarray(2 + rest.readUInt16BE(0));
      }
      if (responses.length >= packets.length) return;
    }
    throw new Error(`The connection was closed after ${responses.length} of ${packets.length} responses.`);
  })();
  const clock = new AbortController();
  const late = sleep(ms, undefined, { signal: clock.signal }).then(() => {
    throw new Error(`${responses.length} of ${packets.length} responses over TCP in ${ms} ms.`);
  });
  late.catch(() => {});
  try {
    await Promise.race([read, late]);
    return responses;
  } finally {
    clock.abort();
    read.catch(() => {});
    socket.destroy();
  }
}
