/**
 * The server for peers, over mutual TLS: reports the applied sequence of this node, serves its
 * data, and accepts forwarded commits.
 */
import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import type { Logger } from '../base/log/index.ts';
import { parseQuery } from '../observe/statistics/query.ts';
import type { WatchRequests } from '../observe/tail/request-tail.ts';
import { BLOB_HASH, type BlobStore, sendBlob } from './blobs/store.ts';
import type { Member } from './members.ts';
import { PeerAdmission } from './peer-admission.ts';
import { KIND, type Message, PeerLink, PROTOCOL, SERVED_AT } from './peer-link.ts';
import {
  LOGS_PATH,
  type OwnLogState,
  type OwnRuleCounts,
  type ReadOwn,
  RULE_COUNTS_PATH,
  STATISTICS_PATH,
} from './peer-queries.ts';
import type { PeerTls } from './peer-tls.ts';
import type { SnapshotSender } from './snapshot.ts';
import { sendRequests } from './tail.ts';

export interface PeerServerOptions {
  readonly tls: PeerTls;
  readonly listen: { readonly address: string; readonly port: number };
  /** Sequence of the last applied entry. */
  head(): number;
  /** Sequence of the last entry whose answers this node serves; omitted: as `head`. */
  served?(): number;
  /** JSON report of this node, for clients without the message protocol. Omitted: only `head`. */
  report?(): string;
  /** The member with this certificate. Undefined: none, such as after the node was removed. */
  memberOf(certificate: X509Certificate): string | undefined;
  /** The members of the cluster, whose networks have reserved capacity. Omitted: none are known. */
  members?(): Iterable<Member>;
  /** Whether the process is running out of memory or descriptors; then only members connect. */
  isOverloaded?(): boolean;
  readonly log?: Logger;
  /** The clock of this node; undefined: it is not sent to others. */
  readonly clock?: { readonly isTrusted: boolean };
  /** Whether the node accepts usage of rate limits. Omitted: no node does. */
  knowsUsage?(node: string): boolean;
  /**
   * Commits what a node has forwarded, and resolves with the answer. Rejects if this node accepts
   * no commits now, and for unreadable commits.
   */
  commit?(node: string, commits: Buffer): Promise<Buffer>;
  readonly snapshots: SnapshotSender;
  /** Undefined: this node serves no blobs. */
  readonly blobs?: BlobStore;
  /** The requests that this node serves. */
  readonly watchRequests: WatchRequests;
  /** Undefined: this node keeps no statistics. */
  readonly readStatistics?: ReadOwn;
  /** Undefined: this node delivers no logs. */
  readonly logStateOf?: OwnLogState;
  /** Undefined: this node counts no rules. */
  readonly ruleCountsOf?: OwnRuleCounts;
}

/** Heartbeat interval in milliseconds. */
export const HEARTBEAT = 1000;
/** Maximum unsent bytes of a connection; above it the connection is closed. */
const MAX_UNREAD = 64 << 10;
/** Unsent bytes above which a peer receives no usage of rate limits. */
const MAX_UNREAD_USAGE = 32 << 10;
/**
 * Milliseconds to wait until a client becomes a member: a new node may connect before the watch of
 * members has reported it.
 */
const MEMBER_WAIT_MS = 1000;
const MEMBER_POLL_MS = 50;
const BLOBS = '/v1/blobs/';
const LOGS = new RegExp(`^${LOGS_PATH}\\d{1,15}$`);
const RULE_COUNTS = new RegExp(`^${RULE_COUNTS_PATH}\\d{1,15}/\\d{1,15}$`);
const REQUESTS = /^\/v1\/requests\/(\d{1,15})$/;
/** Response to an upgrade to the message protocol (RFC 9110 section 15.2.2). */
const UPGRADE_ACCEPTED = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${PROTOCOL}\r\n\r\n`;
const refused = (status: string): string => `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;

/** The member at the other end of a connection. */
interface Admitted {
  /** The certificate of the connection. */
  readonly certificate: X509Certificate;
  readonly node: string;
}

/**
 * A receiver of this node's applied sequence: a peer with the message protocol, or a client of the
 * line protocol.
 */
interface Listener extends Pick<Admitted, 'node'> {
  readonly unread: () => number;
  readonly sendHead: (head: number) => void;
  /** Omitted: receives no usage of rate limits. */
  readonly sendUsage?: (usage: Buffer) => void;
  readonly destroy: () => void;
}

export class PeerServer {
  /** Handles TLS and HTTP on the connections that `#admission` has accepted. */
  readonly #server: Server;
  readonly #admission: PeerAdmission;
  readonly #listeners = new Set<Listener>();
  /** Connections of members. */
  readonly #admitted = new Map<TLSSocket, Admitted>();
  /**
   * All connections after their handshake. `#server` does not listen, so it does not track them.
   */
  readonly #sockets = new Set<TLSSocket>();
  #heartbeat: NodeJS.Timeout | undefined;
  #isDue = false;

  constructor(private readonly options: PeerServerOptions) {
    const { ca, certificate, key } = options.tls;
    this.#server = createServer(
      { ca, cert: certificate, key, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' },
      (request, response) => {
        this.#admit(request, response).catch(() => response.destroy());
      },
    );
    this.#server.on('secureConnection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('upgrade', (request, socket, head) => {
      this.#upgrade(request, socket as TLSSocket, head).catch(() => socket.destroy());
    });
    this.#server.on('clientError', (_error, socket) => socket.destroy());
    this.#admission = new PeerAdmission({
      members: () => options.members?.() ?? [],
      isOverloaded: () => options.isOverloaded?.() === true,
      start: (socket) => this.#server.emit('connection', socket),
      log: options.log,
    });
  }

  /** Connections on which no member has sent a request. */
  get pending(): number {
    return this.#admission.pending;
  }

  /** Resolves with the port. Rejects with the error of the socket. */
  async listen(): Promise<number> {
    const { address, port } = this.options.listen;
    const { server } = this.#admission;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, address, resolve);
    });
    this.#heartbeat = setInterval(() => this.#sendHead(), HEARTBEAT);
    return (server.address() as AddressInfo).port;
  }

  /** Reports new entries to all listeners, once for each turn of the event loop. */
  applied(): void {
    if (this.#isDue || this.#listeners.size === 0) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#sendHead();
    });
  }

  /** Applies the current contents of the options' `tls`. Open connections continue. */
  certificatesChanged(): void {
    const { ca, certificate, key } = this.options.tls;
    this.#server.setSecureContext({ ca, cert: certificate, key, minVersion: 'TLSv1.3' });
  }

  /** Closes the connections of nodes that are no longer members. */
  membersChanged(): void {
    for (const [socket, { certificate, node }] of this.#admitted)
      if (this.options.memberOf(certificate) !== node) socket.destroy();
  }

  /** Number of nodes that receive usage now. */
  countReceivers(): number {
    let count = 0;
    for (const listener of this.#listeners) if (this.#receivesUsage(listener)) count++;
    return count;
  }

  /** Sends the usage of rate limits. A slow node misses it. */
  sendUsage(usage: Buffer): void {
    for (const listener of this.#listeners)
      if (this.#receivesUsage(listener) && listener.unread() <= MAX_UNREAD_USAGE) listener.sendUsage?.(usage);
  }

  #receivesUsage({ node, sendUsage }: Listener): boolean {
    return sendUsage !== undefined && this.options.knowsUsage?.(node) === true;
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    await new Promise<void>((done) => {
      this.#admission.close(done);
      for (const socket of this.#sockets) socket.destroy();
    });
    await this.options.snapshots.close();
  }

  async #admit(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    const member = await this.#memberAt(request.socket as TLSSocket);
    if (response.destroyed) return;
    if (member === null) return void response.writeHead(403, { connection: 'close' }).end();
    if (!this.#admission.admit(request.socket, member.node))
      return void response.writeHead(503, { connection: 'close' }).end();
    request.resume();
    this.#answer(request, response, member);
  }

  async #upgrade(request: IncomingMessage, socket: TLSSocket, head: Buffer): Promise<void> {
    socket.on('error', () => {});
    // The connection may be half open (RFC 9293 section 3.6.1).
    socket.on('end', () => socket.destroy());
    const member = await this.#memberAt(socket);
    if (socket.destroyed) return;
    const isUpgrade = request.url === '/v1/applied' && request.headers.upgrade === PROTOCOL;
    if (member === null || !isUpgrade) {
      socket.write(refused(member === null ? '403 Forbidden' : '404 Not Found'));
      socket.destroySoon();
      return;
    }
    if (!this.#admission.admit(socket, member.node)) {
      socket.write(refused('503 Service Unavailable'));
      socket.destroySoon();
      return;
    }
    socket.setNoDelay(true);
    socket.write(UPGRADE_ACCEPTED);
    const link: PeerLink = new PeerLink(socket, head, (message) => {
      this.#commit(link, member.node, message).catch((error: Error) => link.destroy(error));
    });
    this.#listen(socket, {
      node: member.node,
      sendHead: (applied) => link.send(KIND.applied, applied, this.#describe()),
      sendUsage: (usage) => link.send(KIND.usage, 0, usage),
      unread: () => link.unread,
      destroy: () => link.destroy(),
    });
  }

  /** The payload of KIND.applied. */
  #describe(): Buffer | undefined {
    const { clock, head, served = head } = this.options;
    if (clock === undefined) return undefined;
    const payload = Buffer.allocUnsafe(SERVED_AT + 6);
    payload.writeUIntBE(served(), SERVED_AT, 6);
    payload[6] = clock.isTrusted ? 1 : 0;
    payload.writeUIntBE(Math.floor(Date.now()), 0, 6);
    return payload;
  }

  /** Null: the client is not a member. */
  async #memberAt(socket: TLSSocket): Promise<Admitted | null> {
    const certificate = socket.getPeerX509Certificate();
    // Undefined only after the connection has closed.
    if (certificate === undefined) return null;
    for (const until = performance.now() + MEMBER_WAIT_MS; ; await sleep(MEMBER_POLL_MS)) {
      const node = this.options.memberOf(certificate);
      if (node !== undefined) return this.#recordAdmitted(socket, { certificate, node });
      if (socket.destroyed || performance.now() > until) return null;
    }
  }

  #recordAdmitted(socket: TLSSocket, admitted: Admitted): Admitted {
    if (!this.#admitted.has(socket)) socket.once('close', () => this.#admitted.delete(socket));
    this.#admitted.set(socket, admitted);
    return admitted;
  }

  #answer(request: IncomingMessage, response: ServerResponse, { node }: Admitted): void {
    const { snapshots, blobs, watchRequests, readStatistics, logStateOf, ruleCountsOf } = this.options;
    const failed = (): void => {
      if (response.headersSent) response.destroy();
      else response.writeHead(503).end();
    };
    const path = request.method === 'GET' ? (request.url ?? '') : '';
    const domain = REQUESTS.exec(path)?.[1];
    const hash = path.startsWith(BLOBS) ? path.slice(BLOBS.length) : '';
    if (path === '/v1/applied') {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      const { report } = this.options;
      const sendHead = (applied: number): void => void response.write(`${report?.() ?? `{"applied":${applied}}`}\n`);
      const unread = (): number => response.writableLength;
      this.#listen(response, { node, sendHead, unread, destroy: () => response.destroy() });
    } else if (domain !== undefined) {
      sendRequests(watchRequests, Number(domain), response);
    } else if (path === '/v1/snapshot') snapshots.answer(request, response).catch(failed);
    else if (readStatistics !== undefined && path.startsWith(STATISTICS_PATH))
      sendStatistics(readStatistics, path.slice(STATISTICS_PATH.length), response).catch(failed);
    else if (logStateOf !== undefined && LOGS.test(path))
      sendJson(logStateOf(Number(path.slice(LOGS_PATH.length))), response);
    else if (ruleCountsOf !== undefined && RULE_COUNTS.test(path))
      sendRuleCounts(ruleCountsOf, path.slice(RULE_COUNTS_PATH.length), response);
    else if (blobs !== undefined && BLOB_HASH.test(hash)) sendBlob(blobs, hash, request, response).catch(failed);
    else response.writeHead(404).end();
  }

  async #commit(link: PeerLink, node: string, { kind, number, payload }: Message): Promise<void> {
    const { commit } = this.options;
    if (kind !== KIND.commits) throw new Error('a message of unknown kind');
    // The reason of a refusal is of no use to the other node: it stops forwarding to this node for
    // a while.
    const answer = await commit?.(node, payload).catch(() => undefined);
    link.send(KIND.answer, number, answer);
  }

  #listen(connection: Duplex | ServerResponse, listener: Listener): void {
    this.#listeners.add(listener);
    connection.on('close', () => this.#listeners.delete(listener));
    listener.sendHead(this.options.head());
  }

  #sendHead(): void {
    const head = this.options.head();
    for (const { unread, sendHead, destroy } of this.#listeners) {
      if (unread() > MAX_UNREAD) destroy();
      else sendHead(head);
    }
  }
}

async function sendStatistics(read: ReadOwn, text: string, response: ServerResponse): Promise<void> {
  const query = parseQuery(text);
  if (query === undefined) return void response.writeHead(400).end();
  sendJson(await read(query), response);
}

/** `text`: the id of a domain, and the revision of its rules. */
function sendRuleCounts(of: OwnRuleCounts, text: string, response: ServerResponse): void {
  const [domainId, revision] = text.split('/').map(Number);
  const counts = of(domainId, revision);
  if (counts === undefined) response.writeHead(404).end();
  else sendJson(counts, response);
}

function sendJson(value: unknown, response: ServerResponse): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}
