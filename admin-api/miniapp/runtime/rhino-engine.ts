/** Runs background files in Rhino, as on a phone. The first event starts its process. */
import { SerialEngine } from './engine.ts';
import { ENGINE_LIMITS, type EngineLimits } from './limits.ts';
import { findRhino } from './rhino-installation.ts';
import { RhinoRunner } from './rhino-runner.ts';

export class RhinoEngine extends SerialEngine<RhinoRunner> {
  /** Throws NoRhinoError. */
  constructor(limits: Partial<EngineLimits> = {}) {
    const all = { ...ENGINE_LIMITS, ...limits };
    const installation = findRhino();
    super(all, () => RhinoRunner.start(installation, all.memory));
  }
}
