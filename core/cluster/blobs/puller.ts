/**
 * Fetches missing blobs from other nodes: each at most once at a time, a few concurrently, from any
 * node whose bytes match the hash.
 */

import type { Agent } from 'undici';
import type { Logger } from '../../base/log/index.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { Member } from '../members.ts';
import { peerAgent } from '../peer-agent.ts';
import type { PeerTls } from '../peer-tls.ts';
import { BLOB_HASH, type BlobPart, type BlobStore, type OpenBlob } from './store.ts';

export type BlobPeer = Pick<Member, 'name' | 'address' | 'key'>;

interface BlobPullerOptions {
  readonly store: BlobStore;
  /** Certificates for mutual TLS, in PEM. */
  readonly tls: PeerTls;
  readonly log: Logger;
  /** Nodes that may have the blob. */
  peers(): readonly BlobPeer[];
  /** Maximum bytes of a blob. */
  readonly limit: number;
  /** Milliseconds for a blob, over all nodes. */
  readonly deadline: number;
}

const CONNECT_MS = 5000;
/** Idle timeout of a response, in milliseconds. */
const SILENCE_MS = 10_000;
const AT_ONCE = 4;

export class BlobPuller {
  readonly #stop = new AbortController();
  readonly #flights = new Map<string, Promise<boolean>>();
  readonly #slots = new Semaphore(AT_ONCE);

  constructor(private readonly options: BlobPullerOptions) {}

  /**
   * Opens a complete, verified blob of this or another node. Null: no node has it. The caller
   * closes `file`.
   */
  async open(hash: string): Promise<OpenBlob | null> {
    const { store } = this.options;
    const local = await store.open(hash);
    if (local !== null) return local;
    return (await this.#pull(hash)) ? store.open(hash) : null;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#flights.values());
  }

  #pull(hash: string): Promise<boolean> {
    if (!BLOB_HASH.test(hash)) return Promise.resolve(false);
    const running = this.#flights.get(hash);
    if (running !== undefined) return running;
    const flight = this.#slots.run(() => this.#tryPeers(hash)).finally(() => this.#flights.delete(hash));
    this.#flights.set(hash, flight);
    return flight;
  }

  async #tryPeers(hash: string): Promise<boolean> {
    try {
      return !this.#stop.signal.aborted && (await this.#fromPeers(hash));
    } catch (error) {
      this.options.log.warn('cannot write a blob', { hash, reason: (error as Error).message });
      return false;
    }
  }

  /**
   * Each peer continues where the previous one was interrupted. If the combined bytes do not match
   * the hash, each peer must send the whole blob.
   */
  async #fromPeers(hash: string): Promise<boolean> {
    const { store, log, peers, tls, deadline } = this.options;
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(deadline)]);
    const part = await store.part();
    try {
      for (const isWholeFromPeer of [false, true])
        for (const peer of peers()) {
          if (signal.aborted) return false;
          if (isWholeFromPeer) await part.clear();
          const agent = peerAgent(peer, tls, { connect: CONNECT_MS, headers: SILENCE_MS, body: SILENCE_MS });
          try {
            if (!(await this.#receive(agent, peer, hash, part, signal))) continue;
            if ((await part.keep(hash)) !== null) return true;
            log.warn('a node sent a blob with the wrong hash', { node: peer.name, hash });
            await part.clear();
          } catch (error) {
            log.warn('cannot fetch a blob from a node', { node: peer.name, hash, reason: (error as Error).message });
          } finally {
            await agent.destroy();
          }
        }
      return false;
    } finally {
      await part.close();
    }
  }

  /**
   * False: the peer does not have it. Rejects if the transfer is interrupted; the received bytes
   * are kept.
   */
  async #receive(
    dispatcher: Agent,
    { address }: BlobPeer,
    hash: string,
    part: BlobPart,
    signal: AbortSignal,
  ): Promise<boolean> {
    const headers = part.size > 0 ? { range: `bytes=${part.size}-` } : {};
    const {
      statusCode,
      headers: responseHeaders,
      body,
    } = await dispatcher.request({
      origin: `https://${address}`,
      path: `/v1/blobs/${hash}`,
      method: 'GET',
      signal,
      headers,
    });
    if (statusCode === 404) {
      await body.dump();
      return false;
    }
    if (statusCode !== 200 && statusCode !== 206) throw new Error(`status ${statusCode}`);
    if (statusCode === 200) await part.clear();
    const size = part.size + Number(responseHeaders['content-length']);
    if (!Number.isSafeInteger(size) || size > this.options.limit) {
      body.destroy();
      throw new Error('its size is missing or too large');
    }
    for await (const piece of body) await part.write(piece as Buffer, size);
    if (part.size !== size) throw new Error('the connection closed early');
    return true;
  }
}
