/** Rules about manifest.json and the files that it refers to. */
import type { RuleTable } from '../finding.ts';

export const MANIFEST_RULES = {
  file_missing: {
    type: 'error',
    title: 'File missing in the root',
    about: 'index.html, manifest.json and host-sdk.js must be in the root of the package.',
    fix: 'Put the file into the root of the package. waypost pkg init makes all three.',
  },
  manifest_too_large: {
    type: 'error',
    title: 'Manifest too large',
    about: 'manifest.json may have 64 KB.',
    fix: 'Shorten it: texts for the store do not belong there.',
  },
  manifest_encoding: {
    type: 'error',
    title: 'Manifest not in UTF-8',
    about: 'manifest.json must be UTF-8 without a byte order mark (RFC 8259, section 8.1).',
    fix: 'Save it as UTF-8 without a byte order mark.',
  },
  manifest_syntax: {
    type: 'error',
    title: 'Manifest not JSON',
    about:
      'manifest.json must be JSON by RFC 8259: no comments, no comma behind the last member, names and strings in double quotation marks, and at most 32 nested objects and arrays.',
    fix: 'Correct it at the given position.',
  },
  manifest_duplicate_key: {
    type: 'error',
    title: 'Duplicate key in an object',
    about: 'Of two members with one name, some readers use the first and some the last.',
    fix: 'Remove one of them.',
  },
  manifest_unknown_key: {
    type: 'warning',
    title: 'Unknown key',
    about: 'A key without a meaning, at the top or in "background".',
    fix: 'Remove it, or correct its name.',
  },
  manifest_missing_key: {
    type: 'error',
    title: 'Required key missing',
    about:
      'id, name, version, versionCode, entry, permissions and minHostVersion are required; in "background" also enabled, and entry if that is true.',
    fix: 'Add it.',
  },
  manifest_wrong_type: {
    type: 'error',
    title: 'Value of the wrong type',
    about:
      'versionCode is a number, enabled a boolean, permissions and events are arrays of strings, background is an object, all others are strings.',
    fix: 'Use a value of the given type.',
  },
  manifest_repeated_value: {
    type: 'warning',
    title: 'Duplicate value in a list',
    about: 'A permission or an event occurs twice.',
    fix: 'Remove one of them.',
  },
  manifest_id: {
    type: 'error',
    title: 'Id not the reverse of a domain',
    about:
      'An id is two labels or more with dots between them, each a letter and then letters, digits, hyphens or underscores, not ending in one of the latter; 155 characters at most and 63 a label.',
    fix: 'Use the reverse of a domain of yours and a name: com.example.notes',
  },
  manifest_id_case: {
    type: 'warning',
    title: 'Id with upper case',
    about: 'Domains are the same in upper and lower case, and so are ids: the app is known by its id in lower case.',
    fix: 'Write the id in lower case.',
  },
  manifest_text: {
    type: 'error',
    title: 'Text too long, empty, or with controls',
    about:
      'name and category may have 50 characters, description 4,000. None may have control characters or marks that override the direction of writing.',
    fix: 'Shorten or retype the text.',
  },
  manifest_version: {
    type: 'error',
    title: 'Version not dotted numbers',
    about: 'version and minHostVersion are two to four numbers with dots between them, without leading zeros.',
    fix: 'Write it as 1.4.0.',
  },
  manifest_version_code: {
    type: 'error',
    title: 'versionCode not a positive integer',
    about: 'versionCode orders the versions of an app: an integer from 1 to 2^53 - 1 that rises with each.',
    fix: 'Use an integer greater than that of the previous version.',
  },
  manifest_entry: {
    type: 'error',
    title: 'Entry not index.html',
    about: 'entry is "index.html", the file in the root of the package.',
    fix: 'Write "entry": "index.html".',
  },
  icon_missing: {
    type: 'error',
    title: 'Icon missing',
    about: 'icon is the path of a file in the package, from its root, without ./ before it.',
    fix: 'Put the file there, or correct the path.',
  },
  icon_type: {
    type: 'error',
    title: 'Icon of another type than its name',
    about:
      'An icon is a PNG, JPEG or WebP file, by its first bytes, with the extension of its format. SVG is not allowed, since it can contain scripts and icons are shown outside of the sandbox.',
    fix: 'Save the icon as PNG.',
  },
  icon_size: {
    type: 'notice',
    title: 'Icon of an unusual size',
    about: 'An icon should be square, of 48 to 1,024 pixels, and of 512 KB at most.',
    fix: 'Save the icon in 512 × 512 pixels.',
  },
  permission_unknown: {
    type: 'warning',
    title: 'Unknown permission',
    about:
      'Permissions are storage, vibrate, camera, device.info, network and background. What is unknown grants nothing.',
    fix: 'Remove it, or correct its name.',
  },
  background_entry: {
    type: 'error',
    title: 'Background file missing, or not a script',
    about:
      'background.entry is the path of a .js file in the package, other than host-sdk.js, from its root, without ./ before it.',
    fix: 'Put the file there, or correct the path.',
  },
  background_event_unknown: {
    type: 'warning',
    title: 'Unknown event',
    about: 'Background files receive the events of the schedule.',
    fix: 'Remove it, or write "schedule".',
  },
  background_permission_unknown: {
    type: 'warning',
    title: 'Unknown permission of the background file',
    about: 'Background files may ask for storage and notifications. What is unknown grants nothing.',
    fix: 'Remove it, or correct its name.',
  },
  background_undeclared: {
    type: 'error',
    title: 'Background without its permission',
    about: 'A background file runs only in apps that ask for the permission background.',
    fix: 'Add "background" to "permissions", or disable it.',
  },
  background_unused: {
    type: 'warning',
    title: 'Permission for a missing background file',
    about: 'The manifest has the permission background, but no enabled background file.',
    fix: 'Remove the permission, or add "background" with "enabled": true.',
  },
} as const satisfies RuleTable;
