/** Runs `Host.call` of background files: synchronously and without permission prompts. */
import { HostFault } from '../bridge/errors.ts';
import { OPERATIONS } from '../bridge/operations.ts';
import type { AppStorage } from './app-storage.ts';
import { type Params, readKey, readValue } from './arguments.ts';
import { denied, type Permissions } from './permissions.ts';
import type { HostedApp } from './services.ts';

export interface BackgroundHost {
  readonly storage: Pick<AppStorage, 'get' | 'setNow'>;
  /** Permissions of the app. Undefined: none is revoked. */
  readonly permissions?: Permissions | undefined;
}

/**
 * Makes the call and returns its result. Throws HostFault for an error of the app; any other error
 * is a fault of the host. The file needs the permission in `background.permissions`, and the
 * user must not have revoked it for the app.
 */
export function callInBackground(
  host: BackgroundHost,
  app: HostedApp,
  operation: unknown,
  params: unknown,
): string | null {
  if (typeof operation !== 'string') throw new HostFault('invalid_argument', 'The operation is not a text.');
  const definition = OPERATIONS.get(operation);
  if (definition === undefined || !definition.isInBackground)
    throw new HostFault('unsupported', 'The background does not have the operation.');
  const { permission } = definition;
  if (permission !== undefined) checkPermission(host, app, permission);
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw new HostFault('invalid_argument', 'The parameters are not an object.');
  const key = readKey(params as Params);
  if (operation === 'storage.get') return host.storage.get(app.id, key);
  host.storage.setNow(app.id, key, readValue(params as Params));
  return null;
}

function checkPermission({ permissions }: BackgroundHost, app: HostedApp, permission: string): void {
  if (app.background?.permissions.includes(permission) !== true)
    throw new HostFault('permission_denied', `"background.permissions" does not list "${permission}".`);
  const state = permissions?.stateOf(permission);
  if (state !== undefined && state !== 'granted') throw denied(permission);
}
