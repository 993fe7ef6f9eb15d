/** Runs one event in QuickJS, in its own runtime and context, which are disposed afterwards. */
import { performance } from 'node:perf_hooks';
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten-core';
import type { EngineLimits } from './limits.ts';
import { QUICKJS_REMOVED } from './names.ts';
import { type BackgroundEvent, type EngineOutcome, failure, type Program } from './outcome.ts';
import { HANDLER, PRELUDE, type Report } from './prelude.ts';
import { outcomeOf } from './report.ts';

/** Deletes constructors that compile text and are not globals, and a symbol-keyed method. */
const WITHOUT_TEXT = `(function (removed) {
  [async function () {}, async function* () {}].forEach(function (f) {
    delete Object.getPrototypeOf(f).constructor;
  });
  delete RegExp.prototype[Symbol.matchAll];
})()`;

/** Promise jobs to run between two checks of the deadline. */
const JOBS_AT_ONCE = 100;

/**
 * Sends a call to the host and waits for the answer, at most until `deadline`. Undefined: the
 * deadline passed.
 */
type SendCall = (request: string, deadline: number) => string | undefined;

interface SandboxResult {
  readonly outcome: EngineOutcome;
  /** The engine's memory is in an unknown state, so it must not be used again. */
  readonly isBroken: boolean;
}

/** Never throws. */
export function runInSandbox(
  quickjs: QuickJSWASMModule,
  program: Program,
  event: BackgroundEvent,
  limits: EngineLimits,
  send: SendCall,
): SandboxResult {
  let outcome: EngineOutcome | undefined;
  try {
    const runtime = quickjs.newRuntime();
    runtime.setMemoryLimit(limits.memory);
    runtime.setMaxStackSize(limits.stack);
    const sandbox = new Sandbox(runtime, limits, send);
    outcome = sandbox.run(program, event);
    sandbox.dispose();
    runtime.dispose();
    return { outcome, isBroken: false };
  } catch (error) {
    // A finished event keeps its outcome, because its effects cannot be undone.
    const message = error instanceof Error ? error.message : String(error);
    return { outcome: outcome ?? failure('crashed', `The engine failed: ${message}`), isBroken: true };
  }
}

class Sandbox {
  readonly #context: QuickJSContext;
  #deadline = Number.POSITIVE_INFINITY;
  #isLate = false;

  constructor(
    private readonly runtime: QuickJSRuntime,
    private readonly limits: EngineLimits,
    private readonly send: SendCall,
  ) {
    this.#context = runtime.newContext();
  }

  run(program: Program, event: BackgroundEvent): EngineOutcome {
    const controls = this.#makeGlobals();
    this.#deadline = performance.now() + this.limits.time;
    this.runtime.setInterruptHandler(() => {
      this.#isLate ||= performance.now() > this.#deadline;
      return this.#isLate;
    });
    try {
      return this.#runProgram(program, event, controls);
    } finally {
      controls.dispose();
    }
  }

  dispose(): void {
    this.#context.dispose();
  }

  #runProgram(program: Program, event: BackgroundEvent, controls: QuickJSHandle): EngineOutcome {
    const context = this.#context;
    const loaded = context.evalCode(program.text, program.path, { type: 'global' });
    if (loaded.error) return this.#describe(controls, loaded.error);
    loaded.value.dispose();
    this.#runJobs();
    const handler = context.evalCode(HANDLER);
    if (handler.error) return this.#describe(controls, handler.error);
    const argument = context.newString(JSON.stringify(event));
    const ran = this.#callControl(controls, 'run', handler.value, argument);
    handler.value.dispose();
    argument.dispose();
    if (ran.error) return this.#describe(controls, ran.error);
    ran.value.dispose();
    this.#runJobs();
    if (this.#isLate) return this.#late();
    const report = this.#callControl(controls, 'outcome');
    if (report.error) return this.#describe(controls, report.error);
    return this.#read(report.value);
  }

  /** Runs before the app, so a failure is a bug of the runtime. */
  #makeGlobals(): QuickJSHandle {
    const context = this.#context;
    context.unwrapResult(context.evalCode(WITHOUT_TEXT)).dispose();
    const make = context.unwrapResult(context.evalCode(PRELUDE));
    const removed = context.unwrapResult(context.evalCode(JSON.stringify(QUICKJS_REMOVED)));
    const send = context.newFunction('send', (request) => {
      const answer = this.send(context.getString(request), this.#deadline);
      this.#isLate ||= answer === undefined;
      // The interrupt handler ends the event as soon as the engine continues.
      return context.newString(answer ?? '{"code":"timeout","message":"The event has no time left."}');
    });
    const controls = context.unwrapResult(context.callFunction(make, context.undefined, context.global, send, removed));
    for (const handle of [make, removed, send]) handle.dispose();
    return controls;
  }

  #callControl(controls: QuickJSHandle, name: 'run' | 'describe' | 'outcome', ...args: QuickJSHandle[]) {
    const control = this.#context.getProp(controls, name);
    const result = this.#context.callFunction(control, this.#context.undefined, ...args);
    control.dispose();
    return result;
  }

  /** Runs promise jobs after the code that queued them has ended, as in Rhino. */
  #runJobs(): void {
    while (!this.#isLate && this.runtime.hasPendingJob()) {
      const jobs = this.runtime.executePendingJobs(JOBS_AT_ONCE);
      jobs.error?.dispose();
      this.#isLate ||= performance.now() > this.#deadline;
    }
  }

  #describe(controls: QuickJSHandle, thrown: QuickJSHandle): EngineOutcome {
    if (this.#isLate) {
      thrown.dispose();
      return this.#late();
    }
    const report = this.#callControl(controls, 'describe', thrown);
    thrown.dispose();
    if (report.error) {
      report.error.dispose();
      return this.#isLate ? this.#late() : failure('memory', 'Out of memory while describing the thrown value.');
    }
    return this.#read(report.value);
  }

  #read(text: QuickJSHandle): EngineOutcome {
    const report = JSON.parse(this.#context.getString(text)) as Report;
    text.dispose();
    return outcomeOf(report);
  }

  #late(): EngineOutcome {
    return failure('timeout', `The event took longer than ${this.limits.time} ms.`);
  }
}
