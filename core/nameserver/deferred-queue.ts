/** The thread's side of deferred messages: hands them to main, and main's answers to those who wait for them. */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { type Client, TRANSPORT } from '../address/client.ts';
import { addressText, clientNetwork } from '../address/ipv6.ts';
import {
  type DeferredChannel,
  type DeferredTransport,
  type FromMain,
  MAX_UNDER_WAY,
  RESERVED,
  type ToMain,
} from './deferred.ts';
import { UdpBound } from './deferred-bound.ts';
import type { UdpReply } from './deferred-udp.ts';

const NAMES: readonly DeferredTransport[] = ['udp', 'tcp', 'tls', 'https'];

/** Who waits for an answer. Neither may throw. */
export interface Taker {
  /** Calls `DeferredQueue.next` once the message has gone. */
  take(message: Uint8Array): void;
  /** `failed`: the client must not take what it has for the whole. */
  end(failed: boolean): void;
}

/** A request that main has not ended. */
interface UnderWay {
  readonly network: string;
  /** Null when nobody waits any more. */
  taker: Taker | null;
}

export class DeferredQueue {
  readonly #port: MessagePort;
  readonly #count: Int32Array;
  /** Of those whose end main tells, which is all but those that it sends itself. */
  readonly #underWay = new Map<number, UnderWay>();
  /** How many of them each network has. */
  readonly #shares = new Map<string, number>();
  readonly #udpBound: UdpBound;
  readonly #now: () => number;
  #id = 0;

  /** `now`: milliseconds, of a clock that all threads share. */
  constructor({ port, underWay, udpBound }: DeferredChannel<MessagePort>, now: () => number = Date.now) {
    this.#port = port;
    this.#count = new Int32Array(underWay);
    this.#udpBound = new UdpBound(udpBound);
    this.#now = now;
  }

  /** Has the event loop hand the answers over; without it `receive` does. */
  listen(): void {
    this.#port.on('message', (message: FromMain) => this.#handle(message));
  }

  /** Hands over what has come, without the event loop. */
  receive(): void {
    for (let next = receiveMessageOnPort(this.#port); next !== undefined; next = receiveMessageOnPort(this.#port))
      this.#handle(next.message as FromMain);
  }

  /**
   * Hands main the message at bytes[start, start + length). Its answer goes to `taker`, or is sent by main as `reply` says. `isProven`: the client showed
   * a cookie of ours. Returns the request's number, 0 when there are too many.
   */
  ask(
    bytes: Uint8Array,
    start: number,
    length: number,
    client: Client,
    isProven: boolean,
    taker: Taker | null,
    reply: (() => UdpReply) | null = null,
  ): number {
    const free = MAX_UNDER_WAY - Atomics.load(this.#count, 0);
    if (free <= 0) return 0;
    // First, since there is no end to them: what is refused allocates nothing here.
    const isUdp = client.transport === TRANSPORT.UDP;
    if (isUdp && !this.#udpBound.take(client, isProven, this.#now())) return 0;
    const { network: bounded } = this.#udpBound;
    const address = addressText(client);
    const network = clientNetwork(address);
    const share = this.#shares.get(network) ?? 0;
    // Nobody has more than a third of what is left to others (64 alone, 48 beside that one, and so on), and what is reserved goes to those who have nothing.
    if (share > 0 && share * 3 >= free - RESERVED) return 0;
    Atomics.add(this.#count, 0, 1);
    const id = ++this.#id;
    if (reply === null) {
      this.#underWay.set(id, { network, taker });
      this.#shares.set(network, share + 1);
    }
    const message = new Uint8Array(length);
    for (let i = 0; i < length; i++) message[i] = bytes[start + i];
    const { port } = client;
    const transport = NAMES[client.transport];
    this.#post({
      kind: 'ask',
      id,
      message,
      address,
      port,
      transport,
      network: isUdp ? bounded : 0,
      reply: reply === null ? null : reply(),
    });
    return id;
  }

  /** The message that was taken last has gone. */
  next(id: number): void {
    if (this.#isAwaited(id)) this.#post({ kind: 'next', id });
  }

  /** Nobody waits any more. It counts until main has ended it: whoever asks and goes away has no more than who stays. */
  cancel(id: number): void {
    const pending = this.#underWay.get(id);
    if (pending === undefined || pending.taker === null) return;
    pending.taker = null;
    this.#post({ kind: 'cancel', id });
  }

  #isAwaited(id: number): boolean {
    const taker = this.#underWay.get(id)?.taker;
    return taker !== undefined && taker !== null;
  }

  #handle(message: FromMain): void {
    const pending = this.#underWay.get(message.id);
    if (pending === undefined) return;
    if (message.kind === 'message') {
      pending.taker?.take(message.message);
      return;
    }
    this.#underWay.delete(message.id);
    const left = (this.#shares.get(pending.network) ?? 1) - 1;
    if (left === 0) this.#shares.delete(pending.network);
    else this.#shares.set(pending.network, left);
    pending.taker?.end(message.failed);
  }

  #post(message: ToMain): void {
    this.#port.postMessage(message);
  }
}
