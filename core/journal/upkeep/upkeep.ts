/** Background tasks of a start: encrypt rows with a new key, raise serials for new settings. */
import type { Logger } from '../../base/log/index.ts';
import { FaultLog } from '../../base/log/throttle.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Environment } from '../../store/environment.ts';
import type { ZoneSettings } from '../../zone/settings.ts';
import type { Journal } from '../journal.ts';
import { startRenumbering } from './renumber.ts';
import { startReseal } from './reseal.ts';

export interface UpkeepOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly zoneSettings: ZoneSettings;
  readonly secrets: Secrets;
  readonly log: Logger;
}

export function startUpkeep({ zoneSettings, ...options }: UpkeepOptions): { stop(): Promise<unknown> } {
  const reseal = startReseal(options);
  const faults = new FaultLog(
    options.log,
    'serials cannot be raised for the changed settings',
    'serials are raised again',
  );
  const renumbering = startRenumbering({
    ...options,
    settings: zoneSettings,
    onTrouble: (error) => faults.report(error),
  });
  return { stop: () => Promise.all([renumbering.stop(), reseal.stop()]) };
}
