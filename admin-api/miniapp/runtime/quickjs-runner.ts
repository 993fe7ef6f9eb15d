/** QuickJS in a thread. */
import { MessageChannel, Worker } from 'node:worker_threads';
import type { EngineLimits } from './limits.ts';
import type { BackgroundEvent, Program } from './outcome.ts';
import type { FromWorker, ToWorker, WorkerData } from './quickjs-worker.ts';
import type { Answer, Runner, RunnerResult } from './runner.ts';
import { WaitingAnswerer } from './waiting-call.ts';

/** The engine's stack is part of the thread's stack, whose frames are larger. */
const STACK_MB = 16;
/** For the syntax trees of the language check; QuickJS has separate memory. */
const HEAP_MB = 256;

interface Running {
  readonly answer: Answer;
  readonly resolve: (result: RunnerResult) => void;
  readonly reject: (error: Error) => void;
}

export class QuickJsRunner implements Runner {
  readonly #worker: Worker;
  readonly #answers: WaitingAnswerer;
  #running: Running | undefined;
  #ready!: { readonly resolve: () => void; readonly reject: (error: Error) => void };
  /** Pages of WebAssembly memory after the last event. */
  pages = 0;

  /** Resolves once the thread is ready. */
  static async start(memory: number): Promise<QuickJsRunner> {
    const runner = new QuickJsRunner(memory);
    await new Promise<void>((resolve, reject) => {
      runner.#ready = { resolve, reject };
    });
    return runner;
  }

  private constructor(memory: number) {
    const { port1, port2 } = new MessageChannel();
    const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    this.#answers = new WaitingAnswerer(shared, port1);
    port1.unref();
    const workerData: WorkerData = { shared, port: port2, memory };
    this.#worker = new Worker(new URL('./quickjs-worker.js', import.meta.url), {
      workerData,
      transferList: [port2],
      resourceLimits: { stackSizeMb: STACK_MB, maxOldGenerationSizeMb: HEAP_MB },
      // Hides the host's environment and arguments from the thread.
      env: {},
      argv: [],
    });
    this.#worker.on('message', (message: FromWorker) => this.#read(message));
    this.#worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on('exit', () => this.#fail(new Error('The thread ended.')));
  }

  run(program: Program, event: BackgroundEvent, limits: EngineLimits, answer: Answer): Promise<RunnerResult> {
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#running = { answer, resolve, reject };
      this.#worker.postMessage({ program, event, limits } satisfies ToWorker);
    });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
    this.#answers.close();
  }

  #read(message: FromWorker): void {
    const running = this.#running;
    if (message.type === 'ready') {
      // An idle thread must not keep the process alive.
      this.#worker.unref();
      this.#ready.resolve();
    } else if (message.type === 'call') {
      const { id } = message;
      void running?.answer(message.request).then((text) => {
        if (this.#running === running) this.#answers.answer(id, text);
      });
    } else {
      this.#running = undefined;
      this.pages = message.pages;
      this.#worker.unref();
      running?.resolve({ outcome: message.outcome, isSpent: message.isSpent });
    }
  }

  #fail(error: Error): void {
    const running = this.#running;
    this.#running = undefined;
    running?.reject(error);
    this.#ready.reject(error);
  }
}
