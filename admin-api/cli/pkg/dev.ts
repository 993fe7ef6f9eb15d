/** `waypost pkg dev`: runs an app in the simulator, without a daemon. */
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { escapeControls } from '../../../core/base/log/index.ts';
import { packageFolderOf } from '../../miniapp/audit/archive/package-folder.ts';
import type { Simulator, SimulatorOptions } from '../../miniapp/simulator/simulator.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { type CliIo, print } from '../base/io.ts';
import { stopSignal } from '../base/stop-signal.ts';
import { lint, requireReadable, SDK_OPTION, sdksWith } from './lint.ts';

const DEFAULT_PORT = 8390;
const DEFAULT_HOST_VERSION = '1.0.0';
const LAST_PORT = 65_535;
/** Written by the build next to the program. */
const PAGE_FOLDER = new URL('./simulator', import.meta.url);

/** A host name, and the server that replaces it. */
type Stand =
  SimulatorOptions['fixtures'] extends ReadonlyMap<infer Host, infer Server> ? readonly [Host, Server] : never;

interface DevOptions {
  readonly port?: number;
  readonly state?: string;
  readonly reset?: boolean;
  readonly hostVersion: string;
  readonly open?: boolean;
  readonly sdk?: readonly string[];
  readonly fixture?: readonly Stand[];
  readonly engine: 'quickjs' | 'rhino';
}

const FIXTURE_OPTION = new Option(
  '--fixture <host=address:port>',
  'a server that stands for a host name in Host.network.fetch; can be repeated',
).argParser((text: string, before: readonly Stand[] = []) => [...before, readFixture(text)]);

const HELP = `
The simulator is a page on this machine: a phone with the app, and panels to grant permissions, to see
storage, requests and background tasks, and what the audit finds. No daemon is needed, and nothing
leaves this machine except the requests of the app. Ctrl+C stops it.

Storage, permissions and tasks are kept per app in the state folder: $XDG_STATE_HOME/waypost/simulator,
or ~/.local/state/waypost/simulator.

Examples:
  $ waypost pkg init notes && waypost pkg dev notes
  $ waypost pkg dev notes --port 9000 --open
  $ waypost pkg dev notes --reset
  $ waypost pkg dev weather --fixture api.example.com=127.0.0.1:3000
`;

export function addPkgDev(parent: Command, { io, action }: CommandContext): void {
  parent
    .command('dev')
    .description('run an app in a simulated phone, and reload it as you edit')
    .argument('[folder]', 'the folder with manifest.json, or with app/manifest.json', '.')
    .addOption(
      new Option('--port <n>', `port of the simulator (default: ${DEFAULT_PORT}, or the next free one)`).argParser(
        readPort,
      ),
    )
    .option('--open', 'open the simulator in the default browser')
    .option('--state <folder>', 'where storage, permissions and tasks are kept')
    .option('--reset', 'delete the stored data of the app before it starts')
    .addOption(
      new Option('--host-version <version>', 'version that the simulated phone reports')
        .argParser(readVersion)
        .default(DEFAULT_HOST_VERSION),
    )
    .addOption(FIXTURE_OPTION)
    .addOption(
      new Option('--engine <name>', 'engine of the background file').choices(['quickjs', 'rhino']).default('quickjs'),
    )
    .addOption(SDK_OPTION)
    .addHelpText('after', HELP)
    .action(
      action<DevOptions & { json?: boolean }>(async (options, [folder = '.']) => {
        await requireReadable(parent, folder, 'Pass the folder with manifest.json.');
        for (const file of options.sdk ?? []) await requireReadable(parent, file, 'Pass a host-sdk.js.');
        const simulator = await start(io, await packageFolderOf(folder), options);
        // Listens before the report, because a program may send the signal immediately after it.
        const stopped = stopSignal();
        report(io, simulator, options.json === true);
        if (options.open) openBrowser(io, simulator.url);
        await stopped;
        await simulator.close();
        return true;
      }),
    );
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > LAST_PORT) throw new InvalidArgumentError(`Use 0 to ${LAST_PORT}.`);
  return port;
}

function readFixture(text: string): Stand {
  const [, host, address, port] = /^([a-z0-9.-]+)=([0-9.]+|\[[0-9a-f:]+\]):(\d{1,5})$/i.exec(text) ?? [];
  if (host === undefined || Number(port) > LAST_PORT)
    throw new InvalidArgumentError('Use a form like api.example.com=127.0.0.1:3000.');
  return [host.toLowerCase(), { address: address.replace(/[[\]]/g, ''), port: Number(port) }];
}

function readVersion(text: string): string {
  if (!/^\d{1,6}\.\d{1,6}\.\d{1,6}$/.test(text)) throw new InvalidArgumentError('Use three numbers, as in 1.0.0.');
  return text;
}

async function start(io: CliIo, folder: string, options: DevOptions): Promise<Simulator> {
  const { startSimulator } = await import('../../miniapp/simulator/simulator.ts');
  try {
    return await startSimulator({
      folder,
      port: options.port ?? DEFAULT_PORT,
      isExactPort: options.port !== undefined,
      pageFolder: fileURLToPath(PAGE_FOLDER),
      stateFolder: resolve(options.state ?? defaultStateFolder(io.env)),
      isReset: options.reset === true,
      hostVersion: options.hostVersion,
      sdks: await sdksWith(options.sdk),
      fixtures: new Map(options.fixture),
      engine: options.engine,
      audit: (path, signal) => lint(path, options.sdk, undefined, undefined, signal),
      warn: (text) => print(io.stderr, escapeControls(text)),
    });
  } catch (error) {
    throw explained(error as NodeJS.ErrnoException, folder, options);
  }
}

function defaultStateFolder({ XDG_STATE_HOME }: NodeJS.ProcessEnv): string {
  return join(XDG_STATE_HOME || join(homedir(), '.local/state'), 'waypost/simulator');
}

function explained(error: NodeJS.ErrnoException, folder: string, { port }: DevOptions): Error {
  if (error.code === 'EADDRINUSE')
    return new CliError('port_in_use', `port ${port ?? DEFAULT_PORT} is in use`, {
      next: port === undefined ? 'Choose one with --port.' : 'Choose another one, or leave --port out.',
      cause: error,
    });
  if (error.name === 'NoRhinoError') return new CliError('no_rhino', error.message, { cause: error });
  if (error.code === 'ENOTDIR')
    return new CliError('not_a_folder', `${folder} is not a folder`, {
      next: 'Pass the folder with manifest.json. A .pkg file cannot be edited, so it is not run here.',
      cause: error,
    });
  return error;
}

function report({ stdout, stderr }: CliIo, simulator: Simulator, isJson: boolean): void {
  const { url, package: view } = simulator;
  if (isJson) {
    print(stdout, JSON.stringify({ ok: true, url, app: view.app, sdk: view.sdk }));
    return;
  }
  print(stdout, `simulator: ${url}`);
  const hints = [
    ...view.faults.map(({ line, message }) => `manifest.json${line === null ? '' : `:${line}`}: ${message}`),
    ...(view.sdk === 'issued' ? [] : [SDK_HINTS[view.sdk]]),
  ];
  for (const hint of hints) print(stderr, escapeControls(hint));
}

const SDK_HINTS = {
  missing: 'host-sdk.js is missing: "waypost pkg sdk FOLDER" writes it.',
  not_issued: 'host-sdk.js is not an issued SDK: "waypost pkg sdk FOLDER" writes one.',
} as const;

/** The page works without it, so a failure is a hint. */
function openBrowser({ stderr }: CliIo, url: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => print(stderr, `${program} cannot open the browser; open ${url}`));
  child.unref();
}
