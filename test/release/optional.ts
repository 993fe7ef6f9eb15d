/**
 * What release tests may be skipped for, also with WAYPOST_REQUIRE_PEERS=1. People run this tier by
 * hand, and `.ci/run` does not install these. All else is a peer (test/support/peers.ts).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const OPTIONAL = {
  helm: 'Debian has no package of it',
  buildah: 'images need root, and minutes a build',
  podman: 'images need root, and minutes a build',
  runc: 'images need root, and minutes a build',
  mmdebstrap: 'it downloads a whole system, as root',
  'systemd-nspawn': 'a machine needs root, and control groups',
  systemd: 'containers have none',
  'dpkg-deb': 'only Debian has it',
  strip: 'only builds of a release need it',
  'aarch64-linux-gnu-strip': 'only builds of a release need it',
  lintian: 'only the package of a release needs it',
  'swift-proxy-server': 'an object store of many services, which other tests replace by one in Node',
  root: 'people may run tests as another user',
  'network namespaces': 'they need root, which containers often limit',
  'the registry of npm': 'tests run without the Internet',
} as const;

/** Why a test is skipped: without this, and why it may be missing. */
export const without = (name: keyof typeof OPTIONAL): string => `without ${name} (${OPTIONAL[name]})`;

/** Null: these programs are in PATH. */
export function whyNotOptional(...names: readonly (keyof typeof OPTIONAL)[]): string | null {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin'];
  const missing = names.find((name) => !folders.some((folder) => existsSync(join(folder, name))));
  return missing === undefined ? null : without(missing);
}
