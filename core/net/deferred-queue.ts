/** The thread's side of deferred messages: hands them to main, and main's answers to those who wait for them. */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { type Client, TRANSPORT } from '../answer/client.ts';
import { type DeferredChannel, type DeferredTransport, type FromMain, MAX_UNDER_WAY, type ToMain } from './deferred.ts';
import type { UdpReply } from './deferred-udp.ts';
import { addressText } from './ipv6.ts';

const NAMES: readonly DeferredTransport[] = ['udp', 'tcp', 'tls', 'https'];
/**
 * Requests over UDP in a second, of all threads: main is one, and their senders may be forged. Each costs it some 90 µs of what the API has; whoever gets no answer
 * asks over TCP.
 */
const UDP_PER_SECOND = 1000;

/** Who waits for an answer. Neither may throw. */
export interface Taker {
  /** Calls `DeferredQueue.next` once the message has gone. */
  take(message: Uint8Array): void;
  /** `failed`: the client must not take what it has for the whole. */
  end(failed: boolean): void;
}

export class DeferredQueue {
  private readonly port: MessagePort;
  private readonly underWay: Int32Array;
  private readonly takers = new Map<number, Taker>();
  private readonly udpSecond: Int32Array;
  private readonly now: () => number;
  private id = 0;

  /** `now`: milliseconds, of a clock that all threads share. */
  constructor({ port, underWay, udpSecond }: DeferredChannel<MessagePort>, now: () => number = Date.now) {
    this.port = port;
    this.underWay = new Int32Array(underWay);
    this.udpSecond = new Int32Array(udpSecond);
    this.now = now;
  }

  /** Has the event loop hand the answers over; without it `receive` does. */
  listen(): void {
    this.port.on('message', (message: FromMain) => this.handle(message));
  }

  /** Hands over what has come, without the event loop. */
  receive(): void {
    for (let next = receiveMessageOnPort(this.port); next !== undefined; next = receiveMessageOnPort(this.port))
      this.handle(next.message as FromMain);
  }

  /**
   * Hands main the message at bytes[start, start + length). Its answer goes to `taker`, or is sent by main as `reply` says. Returns the
   * request's number, 0 when there are too many.
   */
  ask(
    bytes: Uint8Array,
    start: number,
    length: number,
    client: Client,
    taker: Taker | null,
    reply: UdpReply | null = null,
  ): number {
    if (Atomics.load(this.underWay, 0) >= MAX_UNDER_WAY) return 0;
    if (client.transport === TRANSPORT.UDP && !this.allowed()) return 0;
    Atomics.add(this.underWay, 0, 1);
    const id = ++this.id;
    if (taker !== null) this.takers.set(id, taker);
    const message = new Uint8Array(length);
    for (let i = 0; i < length; i++) message[i] = bytes[start + i];
    const { port } = client;
    const address = addressText(client);
    const transport = NAMES[client.transport];
    this.post({ kind: 'ask', id, message, address, port, transport, reply });
    return id;
  }

  /** The message that was taken last has gone. */
  next(id: number): void {
    if (this.takers.has(id)) this.post({ kind: 'next', id });
  }

  /** Nobody waits any more. */
  cancel(id: number): void {
    if (this.takers.delete(id)) this.post({ kind: 'cancel', id });
  }

  private handle(message: FromMain): void {
    const taker = this.takers.get(message.id);
    if (taker === undefined) return;
    if (message.kind === 'message') {
      taker.take(message.message);
      return;
    }
    this.takers.delete(message.id);
    taker.end(message.failed);
  }

  private allowed(): boolean {
    const { udpSecond } = this;
    const second = Math.floor(this.now() / 1000) | 0;
    // Two threads that begin a second at once let a few more pass.
    if (Atomics.exchange(udpSecond, 0, second) !== second) Atomics.store(udpSecond, 1, 0);
    return Atomics.add(udpSecond, 1, 1) < UDP_PER_SECOND;
  }

  private post(message: ToMain): void {
    this.port.postMessage(message);
  }
}
