/**
 * The sandbox policy that every host applies to an app. The sandbox enforces it and the audit
 * explains it. config/sandbox-policy.json is generated from it.
 */

/** Sources by directive, in the order of the header. */
const DIRECTIVES = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data: blob:",
  'media-src': "'self' blob:",
  'font-src': "'self'",
  'connect-src': "'none'",
  'frame-src': "'none'",
  'object-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'worker-src': "'self'",
} as const;

/** Policy-controlled browser features; an app has none of them (Permissions Policy, 9). */
const DENIED_FEATURES = [
  ...['accelerometer', 'ambient-light-sensor', 'autoplay', 'battery', 'bluetooth', 'browsing-topics', 'camera'],
  ...['clipboard-read', 'clipboard-write', 'compute-pressure', 'display-capture', 'encrypted-media', 'fullscreen'],
  ...['gamepad', 'geolocation', 'gyroscope', 'hid', 'identity-credentials-get', 'idle-detection', 'keyboard-map'],
  ...['local-fonts', 'magnetometer', 'microphone', 'midi', 'otp-credentials', 'payment', 'picture-in-picture'],
  ...['publickey-credentials-create', 'publickey-credentials-get', 'screen-wake-lock', 'serial', 'shared-storage'],
  ...['speaker-selection', 'storage-access', 'unload', 'usb', 'web-share', 'window-management', 'xr-spatial-tracking'],
] as const;

interface SandboxPolicy {
  /** Increases with each change of the policy. */
  readonly version: number;
  /** Content-Security-Policy of every page and worker of an app. */
  readonly content_security_policy: string;
  /** Permissions-Policy of every page. */
  readonly permissions_policy: string;
  /**
   * Connection-Allowlist of every page: blocks connections to other hosts and DNS lookups of their
   * names. Covers APIs without a CSP directive, such as preconnect and WebRTC.
   */
  readonly connection_allowlist: string;
  /**
   * Sandbox tokens of the frame. Without "allow-same-origin" the origin is opaque. Forms are
   * allowed because the "submit" event does not fire otherwise; form-action blocks their requests.
   */
  readonly sandbox: string;
  readonly origin: 'opaque';
  /** Allowed navigation: only to pages of the app's own package. */
  readonly navigation: 'package';
  readonly background: {
    /** Code generated from strings: eval, Function. */
    readonly eval: false;
    /** Access to Java classes. */
    readonly java: false;
    /** Functions of the engine's shell that read or load files. */
    readonly load: false;
    /** Members of `Host` cannot be replaced or added. */
    readonly host: 'frozen';
  };
}

export const SANDBOX_POLICY: SandboxPolicy = {
  version: 2,
  content_security_policy: Object.entries(DIRECTIVES)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; '),
  permissions_policy: DENIED_FEATURES.map((feature) => `${feature}=()`).join(', '),
  connection_allowlist: '(response-origin)',
  sandbox: 'allow-scripts allow-forms',
  origin: 'opaque',
  navigation: 'package',
  background: { eval: false, java: false, load: false, host: 'frozen' },
};

/** Content of config/sandbox-policy.json. */
export const policyJson = (): string => `${JSON.stringify(SANDBOX_POLICY, null, 2)}\n`;
