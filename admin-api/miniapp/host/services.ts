/** What the system behind a host does for apps. The simulator and the tests have their own. */
import type { DeviceInfo, FetchResult } from '../bridge/operations.ts';

/** An app as its host knows it: part of its manifest. */
export interface HostedApp {
  /** Data of the package: it may be any text. */
  readonly id: string;
  readonly permissions: readonly string[];
  readonly background?: { readonly permissions: readonly string[] } | undefined;
}

/** Whom a service works for. */
export interface Call {
  readonly appId: string;
  /** Aborts when nothing waits for the result: the page was left, or a permission revoked. */
  readonly signal: AbortSignal;
}

export interface FetchRequest {
  /** An absolute URL of http or https without credentials. */
  readonly url: string;
  readonly method: 'GET' | 'HEAD';
}

/**
 * Arguments are checked before they get here, and permissions are granted. A service that is not
 * there makes its operations `unsupported`. What a service throws as HostFault reaches the app;
 * everything else is a fault of the host, which is logged.
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
  /** Null for a key that is not there. */
  get(appId: string, key: string): string | null | Promise<string | null>;
  /** Returns, or resolves, once the value is on disk. HostFault `quota_exceeded`. */
  set(appId: string, key: string, value: string): void | Promise<void>;
}
