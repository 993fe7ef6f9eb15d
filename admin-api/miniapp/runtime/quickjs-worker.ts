/** The thread that runs background files in QuickJS. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { QuickJSWASMModule } from 'quickjs-emscripten-core';
import { refusalOf } from './language.ts';
import type { EngineLimits } from './limits.ts';
import type { BackgroundEvent, EngineOutcome, Program } from './outcome.ts';
import { halfOf, loadQuickJs, pagesOf } from './quickjs-module.ts';
import { runInSandbox } from './sandbox.ts';
import { WaitingCaller } from './waiting-call.ts';

export interface WorkerData {
  readonly shared: SharedArrayBuffer;
  readonly port: MessagePort;
  /** Bytes that events may allocate. */
  readonly memory: number;
}

export interface ToWorker {
  readonly program: Program;
  readonly event: BackgroundEvent;
  readonly limits: EngineLimits;
}

export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'call'; readonly id: number; readonly request: string }
  | {
      readonly type: 'outcome';
      readonly outcome: EngineOutcome;
      readonly isSpent: boolean;
      /** Pages of WebAssembly memory. */
      readonly pages: number;
    };

const { shared, port, memory } = workerData as WorkerData;
const parent = parentPort!;
const post = (message: FromWorker): void => parent.postMessage(message);
const caller = new WaitingCaller(shared, port, (id, request) => post({ type: 'call', id, request }));

function handle(quickjs: QuickJSWASMModule, { program, event, limits }: ToWorker): void {
  const refusal = refusalOf(program);
  const { outcome, isBroken } =
    refusal === undefined
      ? runInSandbox(quickjs, program, event, limits, (request, deadline) => caller.call(request, deadline))
      : { outcome: refusal, isBroken: false };
  const pages = pagesOf(quickjs);
  // WebAssembly memory never shrinks, and the engine may not handle its exhaustion everywhere. So
  // the thread is replaced after an event with high memory use.
  const isFull = pages > halfOf(memory);
  post({
    type: 'outcome',
    outcome: isBroken && isFull && isCrash(outcome) ? { ...outcome, reason: 'memory' } : outcome,
    isSpent: isBroken || isFull,
    pages,
  });
}

function isCrash(outcome: EngineOutcome): outcome is EngineOutcome & { readonly state: 'failed' } {
  return outcome.state === 'failed' && outcome.reason === 'crashed';
}

void loadQuickJs(memory).then((quickjs) => {
  parent.on('message', (message: ToWorker) => handle(quickjs, message));
  post({ type: 'ready' });
});
