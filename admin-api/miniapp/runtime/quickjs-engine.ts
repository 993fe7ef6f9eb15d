/** Runs background files in QuickJS in a thread, which the first event starts. */
import { SerialEngine } from './engine.ts';
import { ENGINE_LIMITS, type EngineLimits } from './limits.ts';
import { QuickJsRunner } from './quickjs-runner.ts';

export class QuickJsEngine extends SerialEngine<QuickJsRunner> {
  constructor(limits: Partial<EngineLimits> = {}) {
    const all = { ...ENGINE_LIMITS, ...limits };
    super(all, () => QuickJsRunner.start(all.memory));
  }
}
