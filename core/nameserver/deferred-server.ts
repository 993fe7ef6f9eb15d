/**
 * The main thread's side of deferred messages. It runs the handlers and requests a message only
 * when the previous one has been sent. It stops a handler whose client has disconnected.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Logger } from '../base/log/index.ts';
import { opcodeOf } from '../dns/wire/header.ts';
import { OPCODE, RCODE } from '../dns/wire/types.ts';
import type { TransportName } from '../net/address/client.ts';
import { clientNetwork } from '../net/address/ipv6.ts';
import {
  type AnswerDeferred,
  type DeferredChannel,
  type DeferredRequest,
  errorResponse,
  type FromMain,
  MAX_PER_CLIENT,
  type ToMain,
} from './deferred.ts';
import { createUdpLimit, type SharedUdpLimit, UdpLimit, type UdpLimitOptions } from './deferred-limit.ts';
import type { SendUdp } from './deferred-udp.ts';

type SubmittedMessage = Extract<ToMain, { kind: 'submit' }>;

interface RunningRequest {
  readonly controller: AbortController;
  /** Continues the handler, which waits until its last message has been sent. */
  resume: () => void;
}

/** Milliseconds between two logged exceptions. */
const FAULT_LOG_INTERVAL_MS = 1000;

/** The requests of one thread. */
export interface DeferredSession {
  /** Cancels all requests of the thread, which has ended. */
  close(): void;
}

export class DeferredServer {
  readonly #answer: AnswerDeferred;
  readonly #sendUdp: SendUdp;
  readonly #log: Logger;
  #sharedLimit: SharedUdpLimit;
  #udpLimit: UdpLimit;
  readonly #perClient = new Map<string, number>();
  #loggedAt = Number.NEGATIVE_INFINITY;
  /** Number of exceptions since the last logged one. */
  #suppressed = 0;

  /**
   * `sendUdp` sends replies for threads that block in recvmmsg. `udpLimit`: default
   * DEFAULT_UDP_LIMIT.
   */
  constructor(answer: AnswerDeferred, sendUdp: SendUdp, log: Logger, udpLimit?: UdpLimitOptions) {
    this.#sharedLimit = createUdpLimit(udpLimit);
    this.#udpLimit = new UdpLimit(this.#sharedLimit);
    this.#answer = answer;
    this.#sendUdp = sendUdp;
    this.#log = log;
  }

  /** See DeferredChannel. */
  get udpLimit(): SharedUdpLimit {
    return this.#sharedLimit;
  }

  setUdpLimit(options: UdpLimitOptions): void {
    this.#sharedLimit = createUdpLimit(options);
    this.#udpLimit = new UdpLimit(this.#sharedLimit);
  }

  /** Serves one thread. `wake` is called after each message to the thread. */
  open(
    { port, pendingCount }: Pick<DeferredChannel<MessagePort>, 'port' | 'pendingCount'>,
    wake: () => void,
  ): DeferredSession {
    const count = new Int32Array(pendingCount);
    const running = new Map<number, RunningRequest>();
    const post = (message: FromMain): void => {
      port.postMessage(message, message.kind === 'message' ? [message.message.buffer as ArrayBuffer] : []);
      wake();
    };
    port.on('message', (message: ToMain) => {
      if (message.kind === 'submit') {
        const task = { controller: new AbortController(), resume: () => {} };
        running.set(message.id, task);
        void this.#serve(message, task, post).finally(() => {
          running.delete(message.id);
          Atomics.sub(count, 0, 1);
        });
        return;
      }
      const task = running.get(message.id);
      if (message.kind === 'cancel') task?.controller.abort();
      task?.resume();
    });
    // The port must not keep the process alive.
    port.unref();
    return {
      close() {
        for (const task of running.values()) {
          task.controller.abort();
          task.resume();
        }
        port.close();
      },
    };
  }

  /** Never rejects. */
  async #serve(request: SubmittedMessage, running: RunningRequest, post: (message: FromMain) => void): Promise<void> {
    const { id, reply, transport } = request;
    const { signal } = running.controller;
    const send = (message: Uint8Array): void => {
      if (reply !== null) this.#sendUdp(reply, message);
      else post({ kind: 'message', id, message: new Uint8Array(message) });
    };
    const network = clientNetwork(request.address);
    const pending = this.#perClient.get(network) ?? 0;
    let sent = 0;
    let failed = false;
    let isAbandoned = false;
    if (pending >= MAX_PER_CLIENT) send(errorResponse(request.message, RCODE.SERVFAIL));
    else {
      this.#perClient.set(network, pending + 1);
      try {
        for await (const message of this.#answer({
          message: request.message,
          address: request.address,
          port: request.port,
          transport,
          cancelled: signal,
          verified: () => this.#udpLimit.refund(request.network, Date.now()),
          abandon() {
            isAbandoned = true;
            running.resume();
          },
        })) {
          if (signal.aborted || isAbandoned) break;
          const delivered = new Promise<void>((resolve) => {
            running.resume = resolve;
          });
          send(message);
          sent++;
          if (transport === 'udp') break;
          await delivered;
          if (signal.aborted || isAbandoned) break;
        }
        failed = isAbandoned;
      } catch (error) {
        if (!signal.aborted) {
          this.#logFault(transport, error as Error);
          failed = sent > 0;
          if (!failed) send(errorResponse(request.message, RCODE.SERVFAIL));
        }
      }
      const remaining = (this.#perClient.get(network) ?? 1) - 1;
      if (remaining === 0) this.#perClient.delete(network);
      else this.#perClient.set(network, remaining);
    }
    if (reply === null) post({ kind: 'end', id, failed });
  }

  /** Limited, because a client that can cause an exception could otherwise fill the disk. */
  #logFault(transport: TransportName, error: Error): void {
    const now = performance.now();
    if (now - this.#loggedAt < FAULT_LOG_INTERVAL_MS) {
      this.#suppressed++;
      return;
    }
    this.#log.error('exception while handling a deferred DNS message', {
      transport,
      error,
      suppressed: this.#suppressed,
    });
    this.#loggedAt = now;
    this.#suppressed = 0;
  }
}

/** Routes deferred messages to their handlers: updates and NOTIFY to their own, others to one. */
export class DeferredRoutes {
  /**
   * Handles messages of opcode UPDATE. Until it is set, and after `stopUpdates`, the response is
   * SERVFAIL, on which clients retry.
   */
  update: AnswerDeferred = notReady;
  /** Handles messages of opcode NOTIFY. Until it is set, the response is SERVFAIL. */
  notify: AnswerDeferred = notReady;
  readonly #others: AnswerDeferred;

  constructor(others: AnswerDeferred) {
    this.#others = others;
  }

  readonly answer: AnswerDeferred = (request) => {
    const opcode = opcodeOf(request.message);
    if (opcode === OPCODE.NOTIFY) return this.notify(request);
    return opcode === OPCODE.UPDATE ? this.update(request) : this.#others(request);
  };

  /** Stops accepting updates. */
  stopUpdates(): void {
    this.update = notReady;
  }
}

async function* notReady({ message }: DeferredRequest): AsyncGenerator<Uint8Array> {
  yield errorResponse(message, RCODE.SERVFAIL);
}
