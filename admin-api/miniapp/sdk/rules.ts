/** Rules about host-sdk.js. */
import type { RuleTable } from '../audit/finding.ts';

const WRITE = 'Run "waypost pkg sdk FOLDER", which writes the newest SDK into the folder of the app.';

export const SDK_RULES = {
  sdk_unknown: {
    type: 'error',
    title: 'host-sdk.js is not an issued SDK',
    about:
      'host-sdk.js makes the global Host, and is the only script that may reach the system. Its SHA-256 is compared with the SDKs that the service has issued (GET /api/dev/sdk), those of its operator (packages.sdks), and those of the option --sdk of the linter.',
    fix: `${WRITE} Leave the file unchanged: not minified, not bundled, with its line ends.`,
  },
  sdk_withdrawn: {
    type: 'error',
    title: 'host-sdk.js is an SDK that was withdrawn',
    about:
      'The operator of the service has withdrawn this version (packages.withdrawn_sdks), for example because of a vulnerability.',
    fix: WRITE,
  },
  sdk_outdated: {
    type: 'notice',
    title: 'There is a newer SDK than host-sdk.js',
    about: 'Older versions are accepted until they are withdrawn.',
    fix: `${WRITE} Then test the app again.`,
  },
  sdk_unverified: {
    type: 'warning',
    review: true,
    title: 'There is no SDK to compare host-sdk.js with',
    about:
      'All issued SDKs were withdrawn (packages.withdrawn_sdks) and none is configured (packages.sdks), so a person reviews the package.',
    fix: 'The operator of the service lists an SDK in packages.sdks. For the linter, name the file with --sdk FILE.',
  },
} as const satisfies RuleTable;
