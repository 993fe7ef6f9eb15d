/** Background files of mini-apps: engines and the scheduler. */
export { type Clock, SystemClock } from './clock.ts';
export { ENGINE_LIMITS, type EngineLimits } from './limits.ts';
export type {
  BackgroundEvent,
  CallHost,
  Engine,
  Failed,
  FailureReason,
  Finished,
  HostCall,
  Outcome,
  Program,
  RunOptions,
} from './outcome.ts';
export { QuickJsEngine } from './quickjs-engine.ts';
export { RhinoEngine } from './rhino-engine.ts';
export { NoRhinoError } from './rhino-installation.ts';
export { eventRunner, type LoadProgram } from './run-event.ts';
export { type RunEvent, Scheduler, type SchedulerEvent, type SchedulerOptions } from './scheduler.ts';
export { TaskFileError, type TaskStorage, taskFile } from './task-file.ts';
export type { Task } from './tasks.ts';
