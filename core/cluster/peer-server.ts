/** What a node tells its peers, over TLS with certificates on both sides: how far it has applied the log, as it goes, and all that it holds; and what it takes: commits. */
import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { sendBlob } from '../blobs/send.ts';
import { BLOB_HASH, type BlobStore } from '../blobs/store.ts';
import { WaypostError } from '../errors.ts';
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
  /** The node of the cluster that has this certificate; undefined: none, as one that was removed has it still. */
  memberOf(certificate: X509Certificate): string | undefined;
  /** Takes what a node forwards. Resolves with the answer. Rejects with WaypostError when it takes nothing now, and with Error for what is unreadable. */
  commit?(node: string, commits: Buffer): Promise<Buffer>;
  readonly snapshots: SnapshotSender;
  /** Undefined: it has none. */
  readonly blobs?: BlobStore;
}

/** Milliseconds between words to a peer when nothing happens. */
export const HEARTBEAT = 1000;
/** Octets that a peer may leave unread. */
const MAX_UNREAD = 64 << 10;
/** Milliseconds for which who is no member may become one: a node that is new may ask before the watch of members has told of it. */
const NEWS = 1000;
const LOOK = 50;
const BLOBS = '/v1/blobs/';
/** Octets of commits that are forwarded at once, with all that they have read. */
const MAX_COMMITS = 8 << 20;

export class PeerServer {
  readonly #options: PeerServerOptions;
  readonly #server: Server;
  /** With what each has shown. */
  readonly #listeners = new Map<ServerResponse, X509Certificate>();
  #heartbeat: NodeJS.Timeout | undefined;
  #isDue = false;

  constructor(options: PeerServerOptions) {
    const { ca, certificate, key } = options.tls;
    this.#options = options;
    this.#server = createServer(
      { ca, cert: certificate, key, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' },
      (request, response) => {
        this.#admit(request, response).catch(() => response.destroy());
      },
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

  /** Some may be members no more. */
  membersChanged(): void {
    for (const [listener, certificate] of this.#listeners)
      if (this.#options.memberOf(certificate) === undefined) listener.destroy();
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    await new Promise<void>((done) => {
      this.#server.close(() => done());
      this.#server.closeAllConnections();
    });
    await this.#options.snapshots.close();
  }

  async #admit(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    const certificate = (request.socket as TLSSocket).getPeerX509Certificate();
    const until = performance.now() + NEWS;
    // Without one the connection has ended.
    while (certificate !== undefined && !response.destroyed) {
      const node = this.#options.memberOf(certificate);
      if (node !== undefined) {
        if (request.method === 'POST' && request.url === '/v1/commits') return this.#commit(node, request, response);
        request.resume();
        return this.#answer(request, response, certificate);
      }
      if (performance.now() > until) return void response.writeHead(403, { connection: 'close' }).end();
      await sleep(LOOK);
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse, certificate: X509Certificate): void {
    const { snapshots, blobs } = this.#options;
    const failed = (): void => {
      if (response.headersSent) response.destroy();
      else response.writeHead(503).end();
    };
    const path = request.method === 'GET' ? (request.url ?? '') : '';
    const hash = path.startsWith(BLOBS) ? path.slice(BLOBS.length) : '';
    if (path === '/v1/applied') this.#listen(response, certificate);
    else if (path === '/v1/snapshot') snapshots.answer(request, response).catch(failed);
    else if (blobs !== undefined && BLOB_HASH.test(hash)) sendBlob(blobs, hash, request, response).catch(failed);
    else response.writeHead(404).end();
  }

  async #commit(node: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { commit } = this.#options;
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of request) {
      length += (chunk as Buffer).length;
      if (length > MAX_COMMITS) return void response.writeHead(413, { connection: 'close' }).end();
      chunks.push(chunk as Buffer);
    }
    if (commit === undefined) return void response.writeHead(404).end();
    try {
      const answer = await commit(node, Buffer.concat(chunks));
      response.writeHead(200).end(answer);
    } catch (error) {
      response.writeHead(error instanceof WaypostError ? 503 : 400).end();
    }
  }

  #listen(response: ServerResponse, certificate: X509Certificate): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(this.#word());
    this.#listeners.set(response, certificate);
    response.on('close', () => this.#listeners.delete(response));
  }

  #word(): string {
    return `{"applied":${this.#options.head()}}\n`;
  }

  #tell(): void {
    const word = this.#word();
    for (const listener of this.#listeners.keys()) {
      if (listener.writableLength > MAX_UNREAD) listener.destroy();
      else listener.write(word);
    }
  }
}
