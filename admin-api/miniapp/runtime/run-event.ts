/** Events of a scheduler in an engine. */
import { type BackgroundEvent, type CallHost, type Engine, notRun, type Outcome, type Program } from './outcome.ts';
import type { RunEvent } from './scheduler.ts';

/** The current background file of an app. Undefined: it has none, or is not installed. */
export type LoadProgram = (appId: string) => Program | undefined | Promise<Program | undefined>;

export function eventRunner(engine: Engine, load: LoadProgram, callHost: CallHost): RunEvent {
  return async (event: BackgroundEvent, signal: AbortSignal): Promise<Outcome> => {
    let program: Program | undefined;
    try {
      program = await load(event.appId);
    } catch (error) {
      return notRun('crashed', `The background file cannot be read: ${(error as Error).message}`);
    }
    if (program === undefined) return notRun('no_handler', 'The app has no background file.');
    return engine.run(program, event, callHost, { signal });
  };
}
