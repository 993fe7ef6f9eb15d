/** manifest.json after it was read and checked. */

/** Permissions that an app may request. */
export const PERMISSIONS = ['storage', 'vibrate', 'camera', 'device.info', 'network', 'background'] as const;
/** Permissions that a background file may request. */
export const BACKGROUND_PERMISSIONS = ['storage', 'notifications'] as const;

export interface BackgroundManifest {
  readonly enabled: boolean;
  /** Path in the package; undefined: missing or invalid. */
  readonly entry: string | undefined;
  readonly events: readonly string[];
  readonly permissions: readonly string[];
}

/** Missing and invalid values are reported as findings; here they are undefined or empty. */
export interface Manifest {
  /** Reverse-domain: `com.example.notes`. */
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly versionCode: number | undefined;
  readonly description: string | undefined;
  readonly entry: string | undefined;
  readonly icon: string | undefined;
  readonly permissions: readonly string[];
  readonly background: BackgroundManifest | undefined;
  readonly minHostVersion: string | undefined;
  readonly category: string | undefined;
}
