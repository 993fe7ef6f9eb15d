/**
 * Background tasks: encrypt rows with a new key, raise serials for new settings, sign zones in
 * pieces, renew signatures.
 */
import type { Logger } from '../../base/log/index.ts';
import { FaultLog } from '../../base/log/throttle.ts';
import type { Secrets } from '../../base/secrets.ts';
import { logDamaged } from '../../store/damaged-rows.ts';
import type { Environment } from '../../store/environment.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import type { Journal } from '../journal.ts';
import { ClockTask } from '../signing/clock-task.ts';
import { Pieces } from '../signing/pieces.ts';
import { startRenumbering } from './renumber.ts';
import { startReseal } from './reseal.ts';

interface UpkeepOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly zoneSettings: ZoneSettings;
  readonly secrets: Secrets;
  readonly log: Logger;
  readonly clock: { readonly isTrusted: boolean };
  /** There are no other nodes. */
  readonly isAlone: boolean;
}

export function startUpkeep({ zoneSettings, ...options }: UpkeepOptions): { stop(): Promise<unknown> } {
  const onDamaged = logDamaged(options.log);
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
  const signingFaults = new FaultLog(options.log, 'zones cannot be signed', 'zones are signed again');
  const pieces = new Pieces({ ...options, onDamaged, onTrouble: (error) => signingFaults.report(error) });
  pieces.start();
  const clockFaults = new FaultLog(options.log, 'signatures cannot be renewed', 'signatures are renewed again');
  const clocks = new ClockTask({ ...options, onDamaged, onTrouble: (error) => clockFaults.report(error) });
  clocks.start();
  return { stop: () => Promise.all([renumbering.stop(), reseal.stop(), pieces.stop(), clocks.stop()]) };
}
