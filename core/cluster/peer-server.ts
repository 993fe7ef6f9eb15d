/** What a node tells its peers, over TLS with certificates on both sides: how far it has applied the log, as it goes, and all that it holds. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SnapshotSender } from './snapshot.ts';

export interface PeerTls {
  /** PEM. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

export interface PeerServerOptions {
  readonly tls: PeerTls;
  readonly listen: { readonly address: string; readonly port: number };
  /** Of the last entry that is applied. */
  head(): number;
  readonly snapshots: SnapshotSender;
}

/** Milliseconds between words to a peer when nothing happens. */
export const HEARTBEAT = 1000;
/** Octets that a peer may leave unread. */
const MAX_UNREAD = 64 << 10;

export class PeerServer {
  readonly #options: PeerServerOptions;
  readonly #server: Server;
  readonly #listeners = new Set<ServerResponse>();
  #heartbeat: NodeJS.Timeout | undefined;
  #isDue = false;

  constructor(options: PeerServerOptions) {
    const { ca, certificate, key } = options.tls;
    this.#options = options;
    this.#server = createServer(
      { ca, cert: certificate, key, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' },
      (request, response) => this.#answer(request, response),
    );
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Resolves with the port. Rejects with the error of the socket. */
  async listen(): Promise<number> {
    const { address, port } = this.#options.listen;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, address, resolve);
    });
    this.#heartbeat = setInterval(() => this.#tell(), HEARTBEAT);
    return (this.#server.address() as AddressInfo).port;
  }

  /** Something was applied. What is applied in one turn of the event loop is told once. */
  applied(): void {
    if (this.#isDue || this.#listeners.size === 0) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#tell();
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    await new Promise<void>((done) => {
      this.#server.close(() => done());
      this.#server.closeAllConnections();
    });
    await this.#options.snapshots.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    response.on('error', () => {});
    if (request.method === 'GET' && request.url === '/v1/applied') this.#listen(response);
    else if (request.method === 'GET' && request.url === '/v1/snapshot')
      this.#options.snapshots.answer(request, response).catch(() => {
        if (response.headersSent) response.destroy();
        else response.writeHead(503).end();
      });
    else response.writeHead(404).end();
  }

  #listen(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(this.#word());
    this.#listeners.add(response);
    response.on('close', () => this.#listeners.delete(response));
  }

  #word(): string {
    return `{"applied":${this.#options.head()}}\n`;
  }

  #tell(): void {
    const word = this.#word();
    for (const listener of this.#listeners) {
      if (listener.writableLength > MAX_UNREAD) listener.destroy();
      else listener.write(word);
    }
  }
}
