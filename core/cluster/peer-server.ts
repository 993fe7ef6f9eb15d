/** What a node tells its peers, over TLS with certificates on both sides: how far it has applied the log, as it goes, and all that it holds. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { sendBlob } from '../blobs/send.ts';
import { BLOB_HASH, type BlobStore } from '../blobs/store.ts';
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
  /** Undefined: it has none. */
  readonly blobs?: BlobStore;
}

/** Milliseconds between words to a peer when nothing happens. */
export const HEARTBEAT = 1000;
/** Octets that a peer may leave unread. */
const MAX_UNREAD = 64 << 10;
const BLOBS = '/v1/blobs/';

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
    const { snapshots, blobs } = this.#options;
    const failed = (): void => {
      if (response.headersSent) response.destroy();
      else response.writeHead(503).end();
    };
    request.resume();
    response.on('error', () => {});
    const path = request.method === 'GET' ? (request.url ?? '') : '';
    const hash = path.startsWith(BLOBS) ? path.slice(BLOBS.length) : '';
    if (path === '/v1/applied') this.#listen(response);
    else if (path === '/v1/snapshot') snapshots.answer(request, response).catch(failed);
    else if (blobs !== undefined && BLOB_HASH.test(hash)) sendBlob(blobs, hash, request, response).catch(failed);
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
