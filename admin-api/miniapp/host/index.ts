/** The host's side of the bridge: sessions of pages, permissions, storage, network. */

export type { Fixture, Resolve } from '../../../core/net/dial/checked-connector.ts';
export {
  AppStorage,
  type StorageChange,
  type StorageEntry,
  type StorageLimits,
  type StorageUsage,
} from './app-storage.ts';
export { type BackgroundHost, callInBackground } from './background-calls.ts';
export type { HostLogEntry, WriteLog } from './host-log.ts';
export { AppNetwork, type NetworkLogEntry, type NetworkOptions } from './network/app-network.ts';
export type { NetworkConditions } from './network/conditions.ts';
export { PageSession, type PageSessionOptions } from './page-session.ts';
export {
  PERMISSION_STATES,
  type PermissionState,
  type PermissionStore,
  Permissions,
  type PermissionsOptions,
  type Prompt,
  type PromptAnswer,
} from './permissions.ts';
export type { Call, FetchRequest, HostedApp, Services, StorageService } from './services.ts';
