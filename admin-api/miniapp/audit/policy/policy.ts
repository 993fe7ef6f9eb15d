/**
 * The sandbox policy of the platform: what every host applies to an app. The sandbox enforces it,
 * and the audit explains it. config/sandbox-policy.json is written from here.
 */

/** By directive, in the order of the header. */
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

/** Features of browsers that pages may be given; an app is given none (Permissions Policy, 9). */
const DENIED_FEATURES = [
  ...['accelerometer', 'ambient-light-sensor', 'autoplay', 'battery', 'bluetooth', 'browsing-topics', 'camera'],
  ...['clipboard-read', 'clipboard-write', 'compute-pressure', 'display-capture', 'encrypted-media', 'fullscreen'],
  ...['gamepad', 'geolocation', 'gyroscope', 'hid', 'identity-credentials-get', 'idle-detection', 'keyboard-map'],
  ...['local-fonts', 'magnetometer', 'microphone', 'midi', 'otp-credentials', 'payment', 'picture-in-picture'],
  ...['publickey-credentials-create', 'publickey-credentials-get', 'screen-wake-lock', 'serial', 'shared-storage'],
  ...['speaker-selection', 'storage-access', 'unload', 'usb', 'web-share', 'window-management', 'xr-spatial-tracking'],
] as const;

interface SandboxPolicy {
  /** Rises whenever the policy changes. */
  readonly version: number;
  /** Content-Security-Policy of every page and worker of an app. */
  readonly content_security_policy: string;
  /** Permissions-Policy of every page. */
  readonly permissions_policy: string;
  /**
   * Connection-Allowlist of every page: no connection and no lookup of a name for another host. It
   * covers what no directive of CSP does, such as preconnect and WebRTC.
   */
  readonly connection_allowlist: string;
  /**
   * Tokens of a frame's sandbox: without "allow-same-origin" the origin is opaque. Forms are
   * allowed, since without it the event "submit" does not fire; form-action stops what would be
   * sent.
   */
  readonly sandbox: string;
  readonly origin: 'opaque';
  /** Where an app may navigate: to pages of its own package. */
  readonly navigation: 'package';
  readonly background: {
    /** Code from text: eval, Function. */
    readonly eval: false;
    /** Classes of Java. */
    readonly java: false;
    /** Functions of the engine's shell that read or load files. */
    readonly load: false;
    /** Nothing of Host can be replaced or added. */
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

/** The text of config/sandbox-policy.json. */
export const policyJson = (): string => `${JSON.stringify(SANDBOX_POLICY, null, 2)}\n`;
