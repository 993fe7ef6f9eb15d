/** All texts of the simulator's page. */
import type { AuditView, FindingView, NetworkMode, PackageView, PermissionState, RunView } from '../protocol.ts';
import type { PanelName, SizeName, Trouble } from './choices.ts';

const number = new Intl.NumberFormat('en');
const plural = (count: number, singular: string): string =>
  `${number.format(count)} ${singular}${count === 1 ? '' : 's'}`;

/** In the two largest units. */
function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  const parts = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const;
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ');
}

function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  if (count < 1024 * 1024) return `${(count / 1024).toFixed(1)} KB`;
  return `${(count / 1024 / 1024).toFixed(1)} MB`;
}

export const TEXTS = {
  title: 'Waypost simulator',
  brand: 'Simulator',
  noScript: 'The simulator needs JavaScript. "waypost pkg lint" checks a package without it.',
  skipToPanels: 'Skip the phone',
  unreachable: 'The simulator does not respond. Is "waypost pkg dev" still running?',
  disconnected: '"waypost pkg dev" has stopped. Start it again; this page then connects on its own.',
  connecting: 'Connecting',
  cancel: 'Cancel',
  save: 'Save',
  version: (version: string, code: number) => `${version} (${code})`,
  bytes,
  milliseconds: (ms: number) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`),

  verdicts: {
    approved: 'Audit: approved',
    in_review: 'Audit: needs review',
    rejected: 'Audit: rejected',
  } satisfies Record<NonNullable<AuditView['verdict']>, string>,
  auditing: 'Audit runs',

  sdk: {
    missing: 'host-sdk.js is missing, so the app has no Host. "waypost pkg sdk" writes the file.',
    not_issued: 'host-sdk.js is not an issued SDK, so the package cannot be approved. "waypost pkg sdk" writes one.',
  } satisfies Record<Exclude<PackageView['sdk'], 'issued'>, string>,
  tooOld: (needed: string, version: string) =>
    `The app needs version ${needed} of the host, and this phone has ${version}. Choose another one with --host-version.`,
  manifest: {
    first: 'The app cannot run: its manifest has errors.',
    kept: 'The manifest has errors. The app still runs with the last good one.',
  },

  phone: {
    label: 'Phone',
    frame: (name: string) => `The app: ${name}`,
    reload: 'Reload',
    rotate: 'Rotate',
    size: 'Size',
    sizes: { small: 'Small', medium: 'Medium', tablet: 'Tablet' } satisfies Record<SizeName, string>,
    scheme: 'Colours',
    schemes: { light: 'Light', dark: 'Dark' },
    dimensions: (width: number, height: number, scale: number) =>
      `${width} × ${height}${scale < 1 ? ` at ${Math.round(scale * 100)} %` : ''}`,
    battery: (percent: number) => `${percent} %`,
    vibrates: (ms: number) => `Vibrates for ${ms} ms`,
    empty: 'No app yet',
  },
  prompt: {
    title: (name: string, permission: string) => `Allow “${name}” to ${permission}?`,
    grant: 'Allow',
    deny: 'Not now',
    never: 'Never',
    uses: {
      storage: 'store data',
      vibrate: 'vibrate',
      camera: 'take photos',
      'device.info': 'read the model, OS version and battery level',
      network: 'request data from the internet',
      background: 'run tasks in the background',
    } as Readonly<Record<string, string>>,
  },
  trouble: {
    titles: {
      hangs: 'The app does not respond',
      stopped: 'The app is stopped',
      floods: 'The app was stopped',
      left: 'The app has left its package',
    } satisfies Record<Trouble, string>,
    about: {
      hangs: 'A script has been running for some seconds. On a phone the system offers to close the app.',
      stopped: 'It starts again when it is loaded.',
      floods: 'It sent thousands of messages, or very large ones, in a second.',
      left: 'It may show only its own pages. The panel Sandbox has the address.',
    } satisfies Record<Trouble, string>,
    reload: 'Load it again',
    stop: 'Stop it',
  },
  camera: {
    title: 'Camera',
    take: 'Take photo',
    source: 'Picture',
    sources: { test: 'Test picture', file: 'File', webcam: 'Webcam' },
    file: 'Picture file',
    noFile: 'Choose a picture file under Device.',
    webcamDenied: 'The browser does not allow the webcam.',
    unreadable: 'This file is not a picture that the browser can read.',
    preview: 'What the camera sees',
    hint: 'The app gets a JPEG of at most 1600 pixels a side.',
  },

  panels: {
    label: 'Panels',
    names: {
      console: 'Console',
      storage: 'Storage',
      network: 'Network',
      background: 'Background',
      permissions: 'Permissions',
      device: 'Device',
      findings: 'Findings',
      sandbox: 'Sandbox',
    } satisfies Record<PanelName, string>,
  },
  console: {
    empty: 'Nothing was logged. What the app writes to the console, and errors that it does not catch, appear here.',
    clear: 'Clear',
    host: 'host',
    silent: (seconds: number) => `The app has not responded for ${seconds} seconds.`,
    dropped: (count: number) => `The app sends too fast: ${plural(count, 'message')} dropped.`,
  },
  storage: {
    empty: 'The app has stored nothing.',
    usage: (used: number, total: number, keys: number) =>
      `${bytes(used)} of ${bytes(total)} used by ${plural(keys, 'key')}`,
    quota: 'Storage that is used',
    omitted: (count: number) => `${plural(count, 'more key')} not shown.`,
    add: 'Add a key',
    addTitle: 'Add a key',
    editLabel: 'Edit',
    edit: (key: string) => `Edit ${key}`,
    editTitle: 'Edit a value',
    removeLabel: 'Delete',
    remove: (key: string) => `Delete ${key}`,
    clear: 'Delete all',
    clearTitle: 'Delete all keys?',
    clearText: 'The app then starts as if it had just been installed.',
    key: 'Key',
    value: 'Value',
    keep: 'Values are texts of at most 1 MB.',
  },
  network: {
    mode: 'Network',
    modes: {
      online: 'Online',
      offline: 'Offline',
      slow: 'Slow',
      error: 'Errors',
    } satisfies Record<NetworkMode, string>,
    about: {
      online: 'Requests go out, as far as the rules for addresses allow it.',
      offline: 'Each request fails at once.',
      slow: 'Each request waits 2 seconds first, and data comes at 50 KB a second.',
      error: 'Each request fails.',
    } satisfies Record<NetworkMode, string>,
    empty: 'The app has made no request.',
    clear: 'Clear',
    pending: 'pending',
  },
  background: {
    clock: 'Clock of the phone:',
    ahead: (ms: number) => `${duration(ms)} ahead`,
    moves: [
      { label: '+1 min', description: '+1 min: move the clock', ms: 60_000 },
      { label: '+15 min', description: '+15 min: move the clock', ms: 15 * 60_000 },
      { label: '+1 h', description: '+1 h: move the clock', ms: 3_600_000 },
      { label: '+1 day', description: '+1 day: move the clock', ms: 86_400_000 },
    ],
    tasks: 'Scheduled tasks',
    noTasks: 'No task is scheduled. Host.background.schedule() adds one.',
    noFile: 'The manifest enables no background file.',
    due: 'Due',
    attempts: (count: number) => plural(count, 'attempt'),
    running: 'runs',
    runNow: 'Run now',
    runs: 'Events',
    noRuns: 'No event was delivered to the background file.',
    engine: (name: string) => `Engine: ${name === 'rhino' ? 'Rhino' : 'QuickJS'}`,
    send: 'Send an event',
    sent: 'Sent by you',
    retry: 'Next attempt',
    omitted: (count: number) => `${plural(count, 'more call')} of Host not shown.`,
    outcomes: {
      finished: 'finished',
      refused: 'refused',
      no_handler: 'no handler',
      threw: 'error',
      timeout: 'timeout',
      memory: 'out of memory',
      stack: 'stack overflow',
      crashed: 'crashed',
      cancelled: 'cancelled',
    } satisfies Record<RunView['outcome'], string>,
  },
  permissions: {
    uses: (use: string) => `To ${use}.`,
    undeclared: 'Not in the manifest: calls that need it are rejected.',
    unlisted: 'Not listed',
    state: (permission: string) => `State of ${permission}`,
    states: {
      ask: 'Ask',
      granted: 'Granted',
      denied: 'Denied once',
      denied_forever: 'Denied for good',
    } satisfies Record<PermissionState, string>,
    backgroundTitle: 'Background file',
    background: (permissions: readonly string[]) =>
      permissions.length === 0 ? 'It has no permissions.' : `Its permissions: ${permissions.join(', ')}.`,
    noBackground: 'The manifest enables no background file.',
  },
  device: {
    title: 'What Host.device.info() returns',
    model: 'Model',
    osVersion: 'OS version',
    batteryLevel: (percent: string) => `Battery: ${percent} %`,
    camera: 'Camera',
  },
  findings: {
    empty: 'The audit finds nothing.',
    waiting: 'The audit has not run yet.',
    failed: 'The audit could not read the package. It runs again when a file changes.',
    summary: (errors: number, warnings: number, notices: number) =>
      `${plural(errors, 'error')}, ${plural(warnings, 'warning')}, ${plural(notices, 'notice')}`,
    omitted: (count: number) => `${plural(count, 'more finding')} not shown; "waypost pkg lint" prints all.`,
    took: (ms: number) => `Audited in ${ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`}`,
    types: { error: 'error', warning: 'warning', notice: 'notice' } satisfies Record<FindingView['type'], string>,
    wholePackage: 'The package',
    position: (line: number | null, column: number | null) =>
      line === null ? '' : column === null ? `line ${line}` : `line ${line}:${column}`,
    fix: 'Instead:',
  },
  sandbox: {
    empty: 'The app has tried nothing that the sandbox forbids.',
    about: 'What the sandbox refused. A phone refuses the same.',
    clear: 'Clear',
    flood: (messages: number, characters: number) =>
      `${number.format(messages)} messages with ${number.format(characters)} characters in a second`,
    noAddress: 'no address of another host, such as data: or mailto:',
  },
} as const;
