/**
 * The simulator of `waypost pkg dev`: a phone with one app, in a browser. A control server has the
 * simulator's page; a server on another port, which is another origin, has the files of the app.
 */
import { resolve } from 'node:path';
import type { Fixture } from '../../../core/net/dial/checked-connector.ts';
import type { Audit } from '../audit/audit.ts';
import type { DeviceInfo } from '../bridge/operations.ts';
import { AppStorage } from '../host/app-storage.ts';
import type { Engine } from '../runtime/outcome.ts';
import type { Sdk } from '../sdk/trust.ts';
import { AppHost, type Phone } from './app-host.ts';
import { startAppServer } from './app-server.ts';
import { AuditLoop } from './audit-loop.ts';
import { BackgroundTasks } from './background.ts';
import { type CommandContext, makeCommands } from './commands.ts';
import { CommandError, ControlServer } from './control-server.ts';
import { SimulatedNetwork } from './network.ts';
import type { Notice } from './notices.ts';
import { readPackage } from './package-folder.ts';
import {
  type CommandName,
  type PackageView,
  PREVIEW,
  type ServerEvent,
  type StorageView,
  type Topic,
  type Topics,
  type ViolationView,
} from './protocol.ts';
import { Recent } from './recent.ts';
import { Camera, Prompts } from './user.ts';
import { violationOf } from './violation.ts';
import { FolderWatcher, type Scan } from './watch-folder.ts';

/** Milliseconds to batch changes into one event. */
const COALESCE_MS = 16;

const MOST_ENTRIES = 500;
/** Minimum interval between two lists, because an app may write often. */
const INTERVAL_MS = 100;

export interface SimulatorOptions {
  readonly folder: string;
  readonly port: number;
  /** The user chose the port: no other one is tried. */
  readonly isExactPort: boolean;
  /** Folder of the simulator's page, as the build writes it. */
  readonly pageFolder: string;
  /** Where storage, permissions and tasks are stored. */
  readonly stateFolder: string;
  /** Deletes what is stored for the app. */
  readonly isReset: boolean;
  readonly hostVersion: string;
  /** Those issued. */
  readonly sdks: readonly Sdk[];
  /** Test servers by host name, so that no request leaves the machine. */
  readonly fixtures: ReadonlyMap<string, Fixture>;
  readonly engine: 'quickjs' | 'rhino';
  /** Rejects when `signal` aborts. */
  audit(folder: string, signal: AbortSignal): Promise<Audit>;
  /** Faults of the simulator. */
  warn(text: string): void;
}

export interface Simulator {
  /** Of the page. */
  readonly url: string;
  /** Of the app. */
  readonly appOrigin: string;
  readonly package: PackageView;
  close(): Promise<void>;
}

const MOST_VIOLATIONS = 200;
const DEVICE: DeviceInfo = { model: 'Simulator', osVersion: '14', batteryLevel: 80 };

/**
 * Resolves once the page can be opened. The first audit runs after that. Rejects with the system
 * error if the folder cannot be read, or no port is free, and with NoRhinoError.
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const run = new Run(options);
  try {
    await run.start();
  } catch (error) {
    await run.close();
    throw error;
  }
  return run;
}

class Run implements Simulator {
  readonly #folder: string;
  readonly #control: ControlServer;
  readonly #topics: TopicStore;
  readonly #prompts: Prompts;
  readonly #camera: Camera;
  readonly #network: SimulatedNetwork;
  readonly #violations = new Recent<ViolationView>(MOST_VIOLATIONS);
  /** Functions that stop the running parts, the latest first. */
  readonly #closers: (() => unknown)[] = [];
  #device = DEVICE;
  #violationCount = 0;
  #host: AppHost | undefined;
  #storage: AppStorage | undefined;
  #storageWatch: StorageWatch | undefined;
  #background: BackgroundTasks | undefined;
  #audit: AuditLoop | undefined;
  /** Package reads are sequential, so that the latest wins. */
  #reading: Promise<void> = Promise.resolve();
  package: PackageView;
  url = '';
  appOrigin = '';

  constructor(private readonly options: SimulatorOptions) {
    this.#folder = resolve(options.folder);
    this.#control = new ControlServer(options);
    this.#topics = new TopicStore((event) => this.#control.broadcast(event));
    this.#prompts = new Prompts((prompts) => this.#topics.setNow('prompts', prompts));
    this.#camera = new Camera((photos) => this.#topics.setNow('photos', photos));
    this.#network = new SimulatedNetwork(options.fixtures, (view) => this.#topics.set('network', view));
    this.package = { folder: this.#folder, app: null, faults: [], sdk: 'missing', revision: 0 };
    this.#topics.set('prompts', []);
    this.#topics.set('photos', []);
    this.#topics.set('violations', []);
    this.#topics.set('device', DEVICE);
  }

  async start(): Promise<void> {
    const { stateFolder, hostVersion, audit, engine } = this.options;
    if (engine === 'rhino') (await import('../runtime/rhino-installation.ts')).findRhino();
    const watcher = new FolderWatcher(this.#folder, (scan) => this.#changed(scan));
    this.#closers.unshift(() => watcher.close());
    const storage = new AppStorage(stateFolder);
    this.#closers.unshift(() => storage.close());
    this.#storage = storage;
    this.#storageWatch = new StorageWatch(
      storage,
      () => this.#host?.app.id,
      (view) => this.#topics.set('storage', view),
    );
    this.#closers.unshift(() => this.#storageWatch?.close());
    const background = new BackgroundTasks({
      folder: this.#folder,
      stateFolder,
      storage,
      openEngine: () => openEngine(this.options.engine),
      warn: (text) => this.options.warn(text),
      onChange: (view) => this.#topics.set('background', view),
    });
    this.#background = background;
    this.#closers.unshift(
      () => background.close(),
      () => this.#network.close(),
    );
    await this.#read(watcher.scan, this.options.isReset);
    this.url = await this.#control.listen();
    this.#closers.unshift(() => this.#control.close());
    const appServer = await startAppServer({
      folder: this.#folder,
      simulatorOrigin: this.url,
      onNotice: (notice) => this.#report(notice),
      onDocument: () => this.#host?.documentSent(),
    });
    this.appOrigin = appServer.origin;
    this.#closers.unshift(() => appServer.close());
    this.#topics.set('host', {
      version: hostVersion,
      engine: this.options.engine,
      appOrigin: appServer.origin,
      stateFolder,
    });
    this.#audit = new AuditLoop(
      (signal) => audit(this.#folder, signal),
      (view) => this.#topics.set('audit', view),
    );
    this.#closers.unshift(() => this.#audit?.close());
    const commands = makeCommands(this.#commandContext(storage, background));
    this.#control.serve(appServer.origin, {
      connected: (client) => this.#control.send(client, { type: 'topics', topics: this.#topics.all() }),
      disconnected: (client) => this.#host?.leave(client),
      messages: (messages) => this.#host?.receive(messages),
      command: async (name, params) => {
        if (!Object.hasOwn(commands, name)) throw new CommandError(`There is no command "${name}".`);
        const value = await commands[name as CommandName](params);
        return typeof value === 'string' ? value : undefined;
      },
    });
    this.#audit.schedule();
  }

  async close(): Promise<void> {
    this.#host?.close();
    this.#topics.close();
    for (const close of this.#closers.splice(0)) await close();
  }

  #changed(scan: Scan): void {
    this.#reading = this.#reading
      .then(() => this.#read(scan, false))
      .catch((error) => this.options.warn(`The package could not be read: ${String(error)}`));
    this.#audit?.schedule();
  }

  /** Reloads the app. With errors in the manifest, the last good one stays. */
  async #read(scan: Scan, isReset: boolean): Promise<void> {
    const { app, faults, sdk } = await readPackage(this.#folder, scan, this.options.sdks);
    const before = this.package;
    this.package = { folder: this.#folder, app: app ?? before.app, faults, sdk, revision: before.revision + 1 };
    if (app !== undefined && isReset) await this.#storage?.uninstall(app.id);
    if (app !== undefined && JSON.stringify(app) !== JSON.stringify(before.app))
      await this.#install(new AppHost(app, this.#phone()), isReset);
    this.#topics.set('package', this.package);
    this.#control.broadcast({ type: 'reload' });
  }

  async #install(host: AppHost, isReset: boolean): Promise<void> {
    this.#host?.close();
    this.#host = host;
    const { hosted, permissions, app } = host;
    await this.#background?.install({ hosted, permissions, entry: app.background?.entry ?? undefined }, isReset);
    this.#topics.set('permissions', host.permissionViews());
    this.#storageWatch?.refresh();
  }

  #phone(): Phone {
    return {
      storage: this.#storage!,
      network: this.#network,
      camera: this.#camera,
      hostVersion: this.options.hostVersion,
      deviceInfo: () => this.#device,
      prompt: (permission, signal) => this.#prompts.ask(permission, signal),
      toast: (text) => this.#control.broadcast({ type: 'toast', text }),
      vibrate: (ms) => this.#control.broadcast({ type: 'vibrate', ms }),
      schedule: (appId, taskId, delayMs) => this.#background!.schedule(appId, taskId, delayMs),
      send: (client, frame, text) => this.#control.send(client, { type: 'message', frame, text }),
      log: ({ type, operation, reason, count, error }) => {
        const times = count > 1 ? ` (${count} times)` : '';
        this.#control.broadcast({ type: 'log', text: `${[operation, reason].filter(Boolean).join(': ')}${times}` });
        if (type === 'failed') this.options.warn(`${operation ?? 'host'}: ${reason} ${String(error ?? '')}`);
      },
      fault: (error) => this.options.warn(String(error)),
      permissionsChanged: () => {
        if (this.#host !== undefined) this.#topics.set('permissions', this.#host.permissionViews());
      },
    };
  }

  #report(notice: Notice): void {
    const violation = violationOf(notice, ++this.#violationCount);
    if (violation === undefined) return;
    this.#violations.add(violation);
    this.#topics.set('violations', this.#violations.entries);
  }

  #commandContext(storage: AppStorage, background: BackgroundTasks): CommandContext {
    return {
      prompts: this.#prompts,
      camera: this.#camera,
      network: this.#network,
      background,
      storage,
      host: () => {
        if (this.#host === undefined) throw new CommandError('There is no app: its manifest has errors.');
        return this.#host;
      },
      setDevice: (device) => {
        this.#device = device;
        this.#topics.set('device', device);
      },
      clearViolations: () => {
        this.#violations.clear();
        this.#topics.set('violations', []);
      },
      reload: () => this.#control.broadcast({ type: 'reload' }),
    };
  }
}

async function openEngine(name: SimulatorOptions['engine']): Promise<Engine> {
  if (name === 'rhino') {
    const { RhinoEngine } = await import('../runtime/rhino-engine.ts');
    return new RhinoEngine();
  }
  const { QuickJsEngine } = await import('../runtime/quickjs-engine.ts');
  return new QuickJsEngine();
}

/** The app's storage as a topic of the page. */
class StorageWatch {
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly storage: AppStorage,
    private readonly appId: () => string | undefined,
    private readonly onChange: (view: StorageView) => void,
  ) {
    this.#stop = storage.onChange(() => {
      this.#timer ??= setTimeout(() => this.refresh(), INTERVAL_MS);
    });
  }

  refresh(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const appId = this.appId();
    if (appId === undefined) return;
    const { bytes, keys } = this.storage.usage(appId);
    const entries = this.storage.list(appId).slice(0, MOST_ENTRIES);
    this.onChange({
      entries: entries.map(({ key, value }) => ({
        key,
        preview: value.slice(0, PREVIEW),
        bytes: Buffer.byteLength(key) + Buffer.byteLength(value),
      })),
      omitted: keys - entries.length,
      bytes,
      keys,
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#stop();
  }
}

type Send = (event: ServerEvent) => void;

/** The topics of the page with their values. Changed topics are sent in one event. */
export class TopicStore {
  readonly #values: { -readonly [T in Topic]?: Topics[T] } = {};
  readonly #changed = new Set<Topic>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly send: Send) {}

  set<T extends Topic>(topic: T, value: Topics[T]): void {
    this.#values[topic] = value;
    this.#changed.add(topic);
    this.#timer ??= setTimeout(() => this.#flush(), COALESCE_MS);
  }

  /** Sends the value at once, with all earlier changes. */
  setNow<T extends Topic>(topic: T, value: Topics[T]): void {
    this.set(topic, value);
    clearTimeout(this.#timer);
    this.#flush();
  }

  /** All values, for a page that has just connected. */
  all(): Partial<Topics> {
    return { ...this.#values };
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    const topics = Object.fromEntries([...this.#changed].map((topic) => [topic, this.#values[topic]]));
    this.#changed.clear();
    this.send({ type: 'topics', topics });
  }
}
