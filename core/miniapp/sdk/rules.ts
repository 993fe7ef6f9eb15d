/** Rules about host-sdk.js. */
import type { RuleTable } from '../finding.ts';

export const SDK_RULES = {
  sdk_unknown: {
    type: 'error',
    title: 'host-sdk.js is none of the SDKs issued',
    about:
      'host-sdk.js makes the global Host, and is the one script that may reach the system itself. It is compared, byte for byte by SHA-256, with the SDKs issued (packages.sdks in the configuration, --sdk for the linter).',
    fix: 'Put host-sdk.js of an SDK that was issued into the package, unchanged: not minified, not bundled, with its line ends as they came.',
  },
  sdk_unverified: {
    type: 'warning',
    review: true,
    title: 'There is no SDK to compare host-sdk.js with',
    about:
      'No issued SDK is configured, so that nobody can say whether host-sdk.js is one. A person looks at the package.',
    fix: 'For the linter name the SDK with --sdk FILE; on a server its operator lists the SDKs issued under packages.sdks.',
  },
  sdk_stand_in: {
    type: 'warning',
    review: true,
    title: 'host-sdk.js is the stand-in for trying an app in a browser',
    about:
      'waypost pkg init writes a stand-in that keeps storage in memory and has no camera. It works in a browser only.',
    fix: 'Put host-sdk.js of an SDK that was issued in its place before you publish the app.',
  },
} as const satisfies RuleTable;
