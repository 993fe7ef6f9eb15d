/** Requests of all nodes for a watching client: each node sends its own, one collects them. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceiveSample, RequestTail, TailSample, WatchRequests } from '../observe/tail/request-tail.ts';
import type { Member } from './members.ts';
import { peerAgent } from './peer-agent.ts';
import type { PeerTls } from './peer-tls.ts';

/** Retry interval in milliseconds for nodes that are not connected. */
const RETRY = 2_000;
/** Maximum characters of a line. */
const MAX_LINE = 1 << 20;

/** Unsent bytes above which samples are only counted. */
const MAX_UNREAD = 256 << 10;
/** Milliseconds after which an empty line shows that the connection works. */
const HEARTBEAT = 2_000;

/**
 * Sends the requests of this node to a watching node, as a line of JSON for each sample. Sends
 * until the connection closes.
 */
export function sendRequests(watch: WatchRequests, domainId: number, response: ServerResponse): void {
  let omitted = 0;
  const send = (sample: TailSample): void => {
    if (response.writableLength > MAX_UNREAD) {
      omitted += sample.omitted + sample.requests.length;
      return;
    }
    response.write(`${JSON.stringify({ ...sample, omitted: sample.omitted + omitted })}\n`);
    omitted = 0;
  };
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.write('\n');
  const unwatch = watch(domainId, send);
  const timer = setInterval(() => {
    if (response.writableLength <= MAX_UNREAD) response.write('\n');
  }, HEARTBEAT);
  response.once('close', () => {
    clearInterval(timer);
    unwatch();
  });
}

interface TailWatcherOptions {
  readonly tail: RequestTail;
  readonly tls: PeerTls;
  /** Other nodes that serve. */
  peers(): readonly Pick<Member, 'name' | 'address' | 'key'>[];
}

/** Milliseconds. A connected node sends at least an empty line every two seconds. */
const TIMEOUTS = { connect: 2_000, headers: 5_000, body: 10_000 };

interface Followed {
  readonly receivers: Set<ReceiveSample>;
  readonly stop: AbortController;
}

/**
 * Watches the requests of a domain on all nodes, over one connection to each other node for all
 * watching clients.
 */
export class TailWatcher {
  readonly #followed = new Map<number, Followed>();
  #isClosed = false;

  constructor(private readonly options: TailWatcherOptions) {}

  readonly watch: WatchRequests = (domainId, receive) => {
    const unwatch = this.options.tail.watch(domainId, receive);
    const entry: ReceiveSample = (sample) => receive(sample);
    let followed = this.#followed.get(domainId);
    if (followed === undefined) {
      followed = { receivers: new Set(), stop: new AbortController() };
      this.#followed.set(domainId, followed);
      if (!this.#isClosed) void this.#followPeers(domainId, followed);
    }
    followed.receivers.add(entry);
    return () => {
      unwatch();
      if (!followed.receivers.delete(entry) || followed.receivers.size > 0) return;
      followed.stop.abort();
      if (this.#followed.get(domainId) === followed) this.#followed.delete(domainId);
    };
  };

  close(): void {
    this.#isClosed = true;
    for (const { stop } of this.#followed.values()) stop.abort();
  }

  /** Follows all peers, including nodes that start later. */
  async #followPeers(domainId: number, { receivers, stop: { signal } }: Followed): Promise<void> {
    const connected = new Set<string>();
    const receive = (sample: TailSample): void => {
      for (const entry of receivers) entry(sample);
    };
    while (!signal.aborted) {
      for (const peer of this.options.peers()) {
        if (connected.has(peer.name)) continue;
        connected.add(peer.name);
        // Unreachable nodes and earlier versions are retried.
        this.#followPeer(peer, domainId, receive, signal)
          .catch(() => {})
          .finally(() => connected.delete(peer.name));
      }
      await sleep(RETRY, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #followPeer(
    peer: Pick<Member, 'name' | 'address' | 'key'>,
    domainId: number,
    receive: ReceiveSample,
    signal: AbortSignal,
  ): Promise<void> {
    const dispatcher = peerAgent(peer, this.options.tls, TIMEOUTS);
    try {
      const { statusCode, body } = await dispatcher.request({
        origin: `https://${peer.address}`,
        path: `/v1/requests/${domainId}`,
        method: 'GET',
        signal,
      });
      if (statusCode !== 200) return await body.dump();
      let text = '';
      const decoder = new TextDecoder();
      for await (const piece of body) {
        text += decoder.decode(piece as Buffer, { stream: true });
        if (text.length > MAX_LINE) return;
        const lines = text.split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) if (line !== '') receive(JSON.parse(line) as TailSample);
      }
    } finally {
      await dispatcher.destroy();
    }
  }
}
