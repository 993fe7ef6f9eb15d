/** Errors that a host reports to an app. docs/mini-apps/bridge.md explains each code. */

export const ERROR_CODES = [
  'permission_denied',
  'invalid_argument',
  'unsupported',
  'cancelled',
  'timeout',
  'quota_exceeded',
  'network_error',
  'busy',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** The error of a response without a result. */
export interface BridgeError {
  readonly code: ErrorCode;
  /** For developers, in English. */
  readonly message: string;
}

/** An error for the app, thrown by host services. Any other error is a fault of the host. */
export class HostFault extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'HostFault';
  }
}
