/**
 * Forwards DNS over UDP and TCP from one loopback port to another. The target may change at any
 * time.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { freePort } from './ports.ts';

const HOST = '127.0.0.1';
/** Milliseconds to wait for a UDP reply. */
const REPLY_MS = 5000;

export class Relay {
  /** Port that receives the next queries. */
  target: number;
  readonly port: number;
  readonly #close: () => void;

  private constructor(port: number, target: number, close: () => void) {
    this.port = port;
    this.target = target;
    this.#close = close;
  }

  static async start(target: number): Promise<Relay> {
    const port = await freePort();
    const udp = createSocket('udp4');
    const tcp = createServer((client) => {
      const server = connect(relay.target, HOST);
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        from.on('error', () => to.destroy());
        from.pipe(to);
      }
    });
    const relay = new Relay(port, target, () => {
      udp.close();
      tcp.close();
    });
    udp.on('message', (query, client) => {
      const outgoing: Socket = createSocket('udp4');
      const timer = setTimeout(() => outgoing.close(), REPLY_MS);
      outgoing.on('error', () => {});
      outgoing.on('message', (reply) => {
        udp.send(reply, client.port, client.address);
        clearTimeout(timer);
        outgoing.close();
      });
      outgoing.send(query, relay.target, HOST);
    });
    udp.bind(port, HOST);
    tcp.listen(port, HOST);
    await Promise.all([once(udp, 'listening'), once(tcp, 'listening')]);
    return relay;
  }

  close(): void {
    this.#close();
  }
}
