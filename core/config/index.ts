export { findNearest } from '../base/nearest.ts';
export { type NotifyTarget, parseNotifyTarget, sourceFor } from './address-kinds.ts';
export { type ClearText, clearTextOf } from './cleartext.ts';
export { describeConfig, exampleToml, type SettingDescription } from './describe.ts';
export { formatBytes } from './kinds.ts';
export { formatListen, formatServices, type ListenAddress, parseListen } from './listen.ts';
export { checkListeners, type Listener, listenersOf } from './listeners.ts';
export { type Applied, type Follow, LiveConfig } from './live.ts';
export {
  CLUSTER_ENVIRONMENT,
  type ConfigSource,
  clusterEnvironment,
  invalidConfig,
  loadConfig,
  type ResolvedConfig,
  type ResolvedSetting,
  resolveConfig,
  secretKeyFile,
} from './load.ts';
export { memoryOf } from './node-settings.ts';
export { isReservedName, type Placeholder, placeholdersOf } from './placeholders.ts';
export { accountQuotas, type PlanQuota, planLimit, planQuota } from './plans.ts';
export { Reloader, type ReloadOutcome, readReloadOutcome } from './reload.ts';
export type { Config } from './schema.ts';
