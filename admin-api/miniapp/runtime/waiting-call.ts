/**
 * A synchronous call from a thread. The thread sleeps on shared memory until the answer arrives as
 * a message on a port.
 */
import { performance } from 'node:perf_hooks';
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';

interface Answer {
  readonly id: number;
  readonly text: string;
}

/** The calling thread's side. */
export class WaitingCaller {
  readonly #counter: Int32Array;
  #lastId = 0;

  constructor(
    memory: SharedArrayBuffer,
    private readonly port: MessagePort,
    private readonly post: (id: number, request: string) => void,
  ) {
    this.#counter = new Int32Array(memory);
  }

  /** Undefined: the deadline passed without an answer. */
  call(request: string, deadline: number): string | undefined {
    const id = ++this.#lastId;
    this.post(id, request);
    for (;;) {
      const count = Atomics.load(this.#counter, 0);
      const received = receiveMessageOnPort(this.port) as { readonly message: Answer } | undefined;
      // Skips answers to earlier calls that timed out.
      if (received?.message.id === id) return received.message.text;
      if (received !== undefined) continue;
      const left = deadline - performance.now();
      if (left <= 0) return undefined;
      Atomics.wait(this.#counter, 0, count, left);
    }
  }
}

/** The answering side. */
export class WaitingAnswerer {
  readonly #counter: Int32Array;

  constructor(
    memory: SharedArrayBuffer,
    private readonly port: MessagePort,
  ) {
    this.#counter = new Int32Array(memory);
  }

  answer(id: number, text: string): void {
    this.port.postMessage({ id, text } satisfies Answer);
    Atomics.add(this.#counter, 0, 1);
    Atomics.notify(this.#counter, 0);
  }

  close(): void {
    this.port.close();
  }
}
