/** The machines that a release is for. Packages bring binaries for each: nothing is compiled. */
import { NODE } from './node.ts';
import type { Target } from './packages.ts';

export interface ReleaseTarget extends Target {
  /** The architecture in Debian's words. */
  readonly debian: string;
  /** The program that removes the tables of debuggers from binaries of this processor. */
  readonly strip: string;
  /** SHA-256 of bin/node and of the binary of uWebSockets.js: both are built elsewhere. */
  readonly sha256: { readonly node: string; readonly uws: string };
}

/** npm installs packages with binaries for this machine; a release is built there. */
export const BUILDER: ReleaseTarget = {
  os: 'linux',
  cpu: 'x64',
  debian: 'amd64',
  strip: 'strip',
  sha256: {
    node: '2f822d544601dfff107f57d945b649d15c5bf6302595735a6bd9cdc7ee9669bd',
    uws: '8cabc918bbf9a07323e54f89a33882491080b2eb35df0607f473ccdb1f3c31af',
  },
};

export const TARGETS: readonly ReleaseTarget[] = [
  BUILDER,
  {
    os: 'linux',
    cpu: 'arm64',
    debian: 'arm64',
    strip: 'aarch64-linux-gnu-strip',
    sha256: {
      node: 'bb71f797d1b3d156d012c59b152c413cf7d4940156cafcde28f1731201ceaf1c',
      uws: 'd4c4f8b2c28c5f6544b49e36d91b0beee238a5b90a07904a947f77061c8b814d',
    },
  },
];

/** The binary of uWebSockets.js in its package. */
export const uwsBinary = ({ os, cpu }: Target): string =>
  `node_modules/uWebSockets.js/dist/bin/uws_${os}_${cpu}_${NODE.abi}.node`;
