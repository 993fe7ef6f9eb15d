/**
 * The DNS thread's side of deferred messages: sends them to the main thread, and passes its answers
 * to the waiting connections.
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { type Client, TRANSPORT, TRANSPORT_NAMES } from '../net/address/client.ts';
import { addressText, clientNetwork } from '../net/address/ipv6.ts';
import { type DeferredChannel, type FromMain, MAX_PENDING, RESERVED_PENDING, type ToMain } from './deferred.ts';
import { type SharedUdpLimit, UdpLimit } from './deferred-limit.ts';
import type { UdpReply } from './deferred-udp.ts';

/** Receives the answer to a deferred message. Neither method may throw. */
export interface AnswerSink {
  /** Sends one message of the answer. Calls `DeferredQueue.next` when it has been sent. */
  write(message: Uint8Array): void;
  /** `failed`: the answer is incomplete, and the client must be able to tell. */
  end(failed: boolean): void;
}

/** The way back to the client of a message. */
export interface ReplyPath {
  /**
   * Called when the message is deferred, as request `id` of the thread. Returns where the answer
   * goes: to a sink in this thread, or through a socket of the main thread.
   */
  replyTo(id: number): AnswerSink | UdpReply;
}

/** A request that the main thread has not finished. */
interface PendingRequest {
  readonly network: string;
  /** Null after the request has been cancelled. */
  sink: AnswerSink | null;
}

export class DeferredQueue {
  readonly #port: MessagePort;
  readonly #count: Int32Array;
  /**
   * Requests whose end the main thread reports. It sends replies over UDP itself and reports no
   * end.
   */
  readonly #pending = new Map<number, PendingRequest>();
  /** Number of pending requests of each network. */
  readonly #perNetwork = new Map<string, number>();
  #udpLimit: UdpLimit;
  readonly #now: () => number;
  #id = 0;

  /** `now`: the time in milliseconds, by a clock that all threads share. */
  constructor({ port, pendingCount, udpLimit }: DeferredChannel<MessagePort>, now: () => number = Date.now) {
    this.#port = port;
    this.#count = new Int32Array(pendingCount);
    this.#udpLimit = new UdpLimit(udpLimit);
    this.#now = now;
  }

  setUdpLimit(limit: SharedUdpLimit): void {
    this.#udpLimit = new UdpLimit(limit);
  }

  /**
   * Receives the answers through the event loop. Threads with a loop of their own call `receive`.
   */
  listen(): void {
    this.#port.on('message', (message: FromMain) => this.#handle(message));
  }

  /** Handles the messages that have arrived, without the event loop. */
  receive(): void {
    for (let next = receiveMessageOnPort(this.#port); next !== undefined; next = receiveMessageOnPort(this.#port))
      this.#handle(next.message as FromMain);
  }

  /**
   * Defers the message at bytes[start, start + length) to the main thread, whose answer takes
   * `path`. `hasValidCookie`: the message has a valid server cookie. Returns the number of the
   * request, or 0 if there are too many.
   */
  submit(
    bytes: Uint8Array,
    start: number,
    length: number,
    client: Client,
    hasValidCookie: boolean,
    path: ReplyPath,
  ): number {
    const free = MAX_PENDING - Atomics.load(this.#count, 0);
    if (free <= 0) return 0;
    // Checked first, because it costs least: a refused message allocates nothing here.
    const isUdp = client.transport === TRANSPORT.UDP;
    if (isUdp && !this.#udpLimit.take(client, hasValidCookie, this.#now())) return 0;
    const { network: limitedNetwork } = this.#udpLimit;
    const address = addressText(client);
    const network = clientNetwork(address);
    const share = this.#perNetwork.get(network) ?? 0;
    // A network may have at most a third of the capacity that others leave: 64 if it is alone, 48
    // next to that one, and so on. The reserved capacity is for networks without a pending request.
    if (share > 0 && share * 3 >= free - RESERVED_PENDING) return 0;
    Atomics.add(this.#count, 0, 1);
    const id = ++this.#id;
    const target = path.replyTo(id);
    const reply = 'fd' in target ? target : null;
    if (!('fd' in target)) {
      this.#pending.set(id, { network, sink: target });
      this.#perNetwork.set(network, share + 1);
    }
    const message = new Uint8Array(length);
    for (let i = 0; i < length; i++) message[i] = bytes[start + i];
    const { port } = client;
    const transport = TRANSPORT_NAMES[client.transport];
    this.#post({
      kind: 'submit',
      id,
      message,
      address,
      port,
      transport,
      network: isUdp ? limitedNetwork : 0,
      reply,
    });
    return id;
  }

  /** Requests the next message, after the previous one has been sent. */
  next(id: number): void {
    if (this.#isWanted(id)) this.#post({ kind: 'next', id });
  }

  /**
   * Cancels a request. It counts until the main thread has finished it, so that clients gain
   * nothing by disconnecting.
   */
  cancel(id: number): void {
    const pending = this.#pending.get(id);
    if (pending === undefined || pending.sink === null) return;
    pending.sink = null;
    this.#post({ kind: 'cancel', id });
  }

  #isWanted(id: number): boolean {
    const sink = this.#pending.get(id)?.sink;
    return sink !== undefined && sink !== null;
  }

  #handle(message: FromMain): void {
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    if (message.kind === 'message') {
      pending.sink?.write(message.message);
      return;
    }
    this.#pending.delete(message.id);
    const remaining = (this.#perNetwork.get(pending.network) ?? 1) - 1;
    if (remaining === 0) this.#perNetwork.delete(pending.network);
    else this.#perNetwork.set(pending.network, remaining);
    pending.sink?.end(message.failed);
  }

  #post(message: ToMain): void {
    this.#port.postMessage(message);
  }
}
