/**
 * Gets blobs that are not here from other nodes: each once at a time, a few together, from
 * whichever gives what the hash says.
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
  /** PEM; of both sides. */
  readonly tls: PeerTls;
  readonly log: Logger;
  /** Nodes that may have it. */
  peers(): readonly BlobPeer[];
  /** Bytes of the largest. */
  readonly limit: number;
  /** Milliseconds for one, from all nodes together. */
  readonly deadline: number;
}

const CONNECT_MS = 5000;
/** Milliseconds in which a peer sends nothing. */
const SILENCE = 10_000;
const AT_ONCE = 4;

export class BlobPuller {
  readonly #options: BlobPullerOptions;
  readonly #stop = new AbortController();
  readonly #flights = new Map<string, Promise<boolean>>();
  readonly #slots = new Semaphore(AT_ONCE);

  constructor(options: BlobPullerOptions) {
    this.#options = options;
  }

  /**
   * Whole and checked, from here or another node; null when nobody has it so. `file` is the
   * caller's to close.
   */
  async open(hash: string): Promise<OpenBlob | null> {
    const { store } = this.#options;
    const here = await store.open(hash);
    if (here !== null) return here;
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
      this.#options.log.warn('cannot write a blob', { hash, reason: (error as Error).message });
      return false;
    }
  }

  /**
   * Each goes on where the one before broke off; should the whole be wrong, each is asked
   * for all of it.
   */
  async #fromPeers(hash: string): Promise<boolean> {
    const { store, log, peers, tls, deadline } = this.#options;
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(deadline)]);
    const part = await store.part();
    try {
      for (const isAlone of [false, true])
        for (const peer of peers()) {
          if (signal.aborted) return false;
          if (isAlone) await part.clear();
          const agent = peerAgent(peer, tls, { connect: CONNECT_MS, headers: SILENCE, body: SILENCE });
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

  /** False: the peer does not have it. Rejects when it breaks off; what was received stays. */
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
      headers: given,
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
    const size = part.size + Number(given['content-length']);
    if (!Number.isSafeInteger(size) || size > this.#options.limit) {
      body.destroy();
      throw new Error('its size is missing or too large');
    }
    for await (const piece of body) await part.write(piece as Buffer, size);
    if (part.size !== size) throw new Error('the connection closed early');
    return true;
  }
}
