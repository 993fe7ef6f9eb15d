/** Main's side of deferred messages: runs the answers, one message ahead of nobody, and ends those for which nobody waits any more. */
import type { MessagePort } from 'node:worker_threads';
import { clientNetwork } from '../address/ipv6.ts';
import type { Logger } from '../base/log/index.ts';
import { RCODE } from '../wire/types.ts';
import {
  type AnswerDeferred,
  type DeferredChannel,
  type DeferredTransport,
  type FromMain,
  MAX_PER_CLIENT,
  type ToMain,
} from './deferred.ts';
import { createUdpBound, type SharedUdpBound, UdpBound, type UdpBoundOptions } from './deferred-bound.ts';
import type { SendUdp } from './deferred-udp.ts';
import { refusal } from './refusal.ts';

type Ask = Extract<ToMain, { kind: 'ask' }>;

interface Running {
  readonly controller: AbortController;
  /** Lets the answer go on; what it waits for is that its last message is taken. */
  resume: () => void;
}

/** Milliseconds between two exceptions that are told. */
const BETWEEN_FAULTS = 1000;

/** One thread's requests. */
export interface DeferredLine {
  /** The thread has ended: nobody waits for anything. */
  close(): void;
}

export class DeferredServer {
  readonly #answer: AnswerDeferred;
  readonly #sendUdp: SendUdp;
  readonly #log: Logger;
  /** See DeferredChannel. */
  readonly udpBound: SharedUdpBound;
  readonly #bound: UdpBound;
  readonly #perClient = new Map<string, number>();
  #toldAt = Number.NEGATIVE_INFINITY;
  /** Exceptions since then. */
  #suppressed = 0;

  /** `sendUdp` sends what threads that block have no ear for. `udpBound`: left out, DEFAULT_UDP_BOUND. */
  constructor(answer: AnswerDeferred, sendUdp: SendUdp, log: Logger, udpBound?: UdpBoundOptions) {
    this.udpBound = createUdpBound(udpBound);
    this.#bound = new UdpBound(this.udpBound);
    this.#answer = answer;
    this.#sendUdp = sendUdp;
    this.#log = log;
  }

  /** Serves one thread. `wake` is called after each message to it. */
  open({ port, underWay }: Pick<DeferredChannel<MessagePort>, 'port' | 'underWay'>, wake: () => void): DeferredLine {
    const count = new Int32Array(underWay);
    const running = new Map<number, Running>();
    const post = (message: FromMain): void => {
      port.postMessage(message, message.kind === 'message' ? [message.message.buffer as ArrayBuffer] : []);
      wake();
    };
    port.on('message', (message: ToMain) => {
      if (message.kind === 'ask') {
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
    // It must not keep the process alive.
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
  async #serve(ask: Ask, running: Running, post: (message: FromMain) => void): Promise<void> {
    const { id, reply, transport } = ask;
    const { signal } = running.controller;
    const give = (message: Uint8Array): void => {
      if (reply !== null) this.#sendUdp(reply, message);
      else post({ kind: 'message', id, message: new Uint8Array(message) });
    };
    const network = clientNetwork(ask.address);
    const others = this.#perClient.get(network) ?? 0;
    let sent = 0;
    let failed = false;
    if (others >= MAX_PER_CLIENT) give(refusal(ask.message, RCODE.SERVFAIL));
    else {
      this.#perClient.set(network, others + 1);
      try {
        for await (const message of this.#answer({
          message: ask.message,
          address: ask.address,
          port: ask.port,
          transport,
          cancelled: signal,
          verified: () => this.#bound.giveBack(ask.network, Date.now()),
        })) {
          if (signal.aborted) break;
          const taken = new Promise<void>((resolve) => {
            running.resume = resolve;
          });
          give(message);
          sent++;
          if (transport === 'udp') break;
          await taken;
          if (signal.aborted) break;
        }
      } catch (error) {
        if (!signal.aborted) {
          this.#tell(transport, error as Error);
          failed = sent > 0;
          if (!failed) give(refusal(ask.message, RCODE.SERVFAIL));
        }
      }
      const left = (this.#perClient.get(network) ?? 1) - 1;
      if (left === 0) this.#perClient.delete(network);
      else this.#perClient.set(network, left);
    }
    if (reply === null) post({ kind: 'end', id, failed });
  }

  /** Not of every one of a flood: who knows such a message could fill the disk. */
  #tell(transport: DeferredTransport, error: Error): void {
    const now = performance.now();
    if (now - this.#toldAt < BETWEEN_FAULTS) {
      this.#suppressed++;
      return;
    }
    this.#log.error('exception while handling a deferred DNS message', {
      transport,
      error,
      suppressed: this.#suppressed,
    });
    this.#toldAt = now;
    this.#suppressed = 0;
  }
}
