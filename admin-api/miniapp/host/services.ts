/** Interfaces of the system services behind a host. The simulator and the tests implement them. */
import type { DeviceInfo, FetchResult } from '../bridge/operations.ts';

/** An app as its host knows it: part of its manifest. */
export interface HostedApp {
  /** From the package, so it may be any text. */
  readonly id: string;
  readonly permissions: readonly string[];
  readonly background?: { readonly permissions: readonly string[] } | undefined;
}

/** The caller of a service. */
export interface Call {
  readonly appId: string;
  /** Aborts when the result is no longer needed: page closed, or permission revoked. */
  readonly signal: AbortSignal;
}

export interface FetchRequest {
  /** An absolute URL of http or https without credentials. */
  readonly url: string;
  readonly method: 'GET' | 'HEAD';
}

/**
 * The caller has already checked arguments and permissions. The operations of a missing service are
 * `unsupported`. A HostFault of a service is sent to the app; any other error is logged as a fault
 * of the host.
 */
export interface Services {
  readonly storage?: StorageService;
  readonly toast?: (call: Call, text: string) => void | Promise<void>;
  readonly vibrate?: (call: Call, ms: number) => void | Promise<void>;
  /** Base64 of a JPEG, without a prefix. */
  readonly takePhoto?: (call: Call) => string | Promise<string>;
  readonly deviceInfo?: (call: Call) => DeviceInfo | Promise<DeviceInfo>;
  readonly fetch?: (call: Call, request: FetchRequest) => FetchResult | Promise<FetchResult>;
  /** `delayMs` is within the limits. */
  readonly schedule?: (call: Call, taskId: string, delayMs: number) => void | Promise<void>;
}

/** AppStorage is the usual one. */
export interface StorageService {
  /** Null: there is no such key. */
  get(appId: string, key: string): string | null | Promise<string | null>;
  /** Returns, or resolves, once the value is on disk. HostFault `quota_exceeded`. */
  set(appId: string, key: string, value: string): void | Promise<void>;
}
