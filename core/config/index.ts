export { findNearest } from '../base/nearest.ts';
export { CLUSTER_ENVIRONMENT, clusterEnvironment } from './cluster-environment.ts';
export { describeConfig, exampleToml, type SettingDescription } from './describe.ts';
export { formatBytes } from './kinds.ts';
export { formatListen, formatServices, type ListenAddress, parseListen } from './listen.ts';
export { type ConfigSource, loadConfig, type ResolvedSetting, resolveConfig } from './load.ts';
export type { Config } from './schema.ts';
export { secretKeyFile } from './secret-key-file.ts';
export { type NotifyTarget, parseNotifyTarget } from './transfer-kinds.ts';
