/**
 * Background tasks: encrypt rows with a new key, raise serials for new settings, sign zones in
 * pieces, renew signatures.
 */
import type { Logger } from '../../base/log/index.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Tasks } from '../../base/tasks.ts';
import type { Environment } from '../../store/environment.ts';
import { logDamaged } from '../../store/scan.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import type { Journal } from '../journal.ts';
import { ClockTask } from '../signing/clock-task.ts';
import { Pieces } from '../signing/pieces.ts';
import { startAbandonedImports } from './abandoned-imports.ts';
import { startRenumbering } from './renumber.ts';
import { startReseal } from './reseal.ts';

interface UpkeepOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly zoneSettings: ZoneSettings;
  readonly secrets: Secrets;
  readonly tasks: Tasks;
  readonly log: Logger;
  readonly clock: { readonly isTrusted: boolean };
  /** There are no other nodes. */
  readonly isAlone: boolean;
  /** The name of this node in a cluster. */
  readonly nodeName: string;
}

interface Upkeep {
  /** Whether every stored secret is encrypted with the first key of the key file. */
  isResealed(): boolean;
  stop(): Promise<unknown>;
}

export function startUpkeep({ zoneSettings, ...options }: UpkeepOptions): Upkeep {
  const onDamaged = logDamaged(options.log);
  const reseal = startReseal(options);
  const renumbering = startRenumbering({ ...options, settings: zoneSettings });
  const pieces = new Pieces({ ...options, onDamaged });
  pieces.start();
  const clocks = new ClockTask({ ...options, onDamaged });
  clocks.start();
  const imports = startAbandonedImports(options);
  return {
    isResealed: () => reseal.isDone,
    stop: () => Promise.all([renumbering.stop(), reseal.stop(), pieces.stop(), clocks.stop(), imports.stop()]),
  };
}
