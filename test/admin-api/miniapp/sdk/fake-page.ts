/** A page in node:vm that loads host-sdk.js, with a carrier to a host that the test plays. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import {
  type FromApp,
  type FromHost,
  type Malformed,
  type Request,
  readFromApp,
  writeMessage,
} from '../../../../admin-api/miniapp/bridge/messages.ts';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
export const SDK_SOURCE = readFileSync(join(ROOT, 'admin-api/miniapp/sdk/host-sdk.js'), 'utf8');
const SCRIPT = new vm.Script(SDK_SOURCE, { filename: 'host-sdk.js' });

export type Carrier = 'android' | 'android-listener' | 'ios' | 'frame' | 'none';
export const CARRIERS: readonly Carrier[] = ['android', 'android-listener', 'ios', 'frame'];

type Call = (...values: unknown[]) => Promise<unknown>;
export type HostApi = Readonly<Record<string, Readonly<Record<string, Call>>>>;

/** What a promise of `Host` is rejected with. */
export interface Rejection {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly operation: string;
}

type Listener = (event: object) => void;
interface Timer {
  readonly run: () => void;
  readonly delay: number;
}

export class FakePage {
  readonly window: vm.Context & Record<string, unknown>;
  /** Messages of the page, as a host reads them. */
  readonly sent: (FromApp | Malformed)[] = [];
  readonly texts: string[] = [];
  readonly timers = new Map<number, Timer>();
  /** Thrown by the carrier, when set. */
  broken: Error | null = null;
  readonly #carrier: Carrier;
  readonly #listeners = new Map<string, Listener[]>();
  readonly #bridge: { postMessage: unknown; onmessage?: Listener };

  constructor(carrier: Carrier, { prepare = '' }: { prepare?: string } = {}) {
    this.#carrier = carrier;
    const window: Record<string, unknown> = {
      addEventListener: (type: string, listener: Listener) =>
        this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]),
      setTimeout: (run: () => void, delay: number) => {
        this.timers.set(this.timers.size + 1, { run, delay });
        return this.timers.size;
      },
      clearTimeout: (id: number) => this.timers.delete(id),
    };
    this.window = vm.createContext(window);
    window.window = this.window;
    window.parent = this.window;
    const page = this;
    this.#bridge = {
      postMessage(text: string, target?: unknown) {
        // As bridges of a system do: they do not work without their object.
        if (this !== page.#bridge) throw new TypeError('Illegal invocation');
        if (carrier === 'frame' && target !== '*') throw new TypeError('no target');
        if (page.broken !== null) throw page.broken;
        page.texts.push(text);
        page.sent.push(readFromApp(text));
      },
    };
    if (carrier === 'android') Object.preventExtensions(this.#bridge);
    if (carrier === 'android-listener') this.#bridge.onmessage = undefined;
    if (carrier.startsWith('android')) window.HostBridge = this.#bridge;
    if (carrier === 'ios') window.webkit = { messageHandlers: { host: this.#bridge } };
    if (carrier === 'frame') window.parent = this.#bridge;
    this.run(prepare);
    this.load();
  }

  load(): void {
    SCRIPT.runInContext(this.window);
  }

  run(code: string): unknown {
    return vm.runInContext(code, this.window);
  }

  get host(): HostApi {
    return this.window.Host as HostApi;
  }

  get requests(): Request[] {
    return this.sent.filter((message) => message.type === 'request');
  }

  dispatch(type: string, event: object): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }

  /** A message of the host, or what a faulty host sends. */
  receive(data: unknown): void {
    if (this.#carrier === 'android-listener') this.#bridge.onmessage?.({ data });
    else if (this.#carrier === 'frame') this.dispatch('message', { data, source: this.#bridge });
    else this.dispatch('host-message', { detail: data });
  }

  reply(message: FromHost): void {
    this.receive(writeMessage(message));
  }

  welcome(): void {
    this.reply({ type: 'welcome', protocol: 1, host: '1.0.0', operations: [] });
  }

  result(id: string, result: unknown): void {
    this.reply({ type: 'response', protocol: 1, id, result });
  }

  /** Lets the deadlines of the page pass. */
  passTime(): void {
    for (const [id, { run }] of [...this.timers]) {
      this.timers.delete(id);
      run();
    }
  }
}

export const rejection = (promise: Promise<unknown>): Promise<Rejection> =>
  promise.then(
    (value) => {
      throw new Error(`fulfilled with ${JSON.stringify(value)}`);
    },
    (error) => error,
  );
