/** manifest.json of a package, as it is once read and checked. */

/** Permissions that an app may ask for. */
export const PERMISSIONS = ['storage', 'vibrate', 'camera', 'device.info', 'network', 'background'] as const;
/** Permissions that its background file may ask for. */
export const BACKGROUND_PERMISSIONS = ['storage', 'notifications'] as const;

export interface BackgroundManifest {
  readonly enabled: boolean;
  /** Path in the package; undefined where there is none that can be used. */
  readonly entry: string | undefined;
  readonly events: readonly string[];
  readonly permissions: readonly string[];
}

/** What is missing or wrong in the file is a finding, and undefined or empty here. */
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
