import type { Load } from './load.ts';
import type { Machines } from './machines.ts';

export interface Scenario {
  readonly name: string;
  /** Why it cannot be played here; null: it can. */
  lacks?(machines: Machines): string | null;
  run(machines: Machines, load: Load): Promise<void>;
}
