/** Packages that the bundles import at run time. */

/** Their code is in the bundles, and loads the binaries of the packages. */
export const BINARY_PACKAGES: readonly string[] = ['lmdb', 'koffi'];

/** With binaries, with threads or files of their own, or not needed at a start. */
export const EXTERNAL: readonly string[] = [
  'uWebSockets.js',
  '@node-rs/argon2',
  'piscina',
  'acme-client',
  '@peculiar/x509',
  '@simplewebauthn/server',
  'quickjs-emscripten-core',
  '@jitl/quickjs-wasmfile-release-sync',
];

/** Packed into the dashboard and the simulator, so that a release has them. */
export const BROWSER_PACKAGES: readonly string[] = ['preact', '@preact/signals', 'uqr', '@simplewebauthn/browser'];
