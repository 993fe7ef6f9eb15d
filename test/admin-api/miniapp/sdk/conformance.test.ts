/** The conformance pages: packages, and run against the host's side of the bridge in node:vm. */
import vm from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditContent } from '../../../../admin-api/miniapp/audit/audit.ts';
import type { PackageFile } from '../../../../admin-api/miniapp/audit/content.ts';
import { Findings } from '../../../../admin-api/miniapp/audit/findings.ts';
import { HostFault } from '../../../../admin-api/miniapp/bridge/errors.ts';
import { LIMITS } from '../../../../admin-api/miniapp/bridge/operations.ts';
import {
  AppStorage,
  callInBackground,
  PageSession,
  Permissions,
  type PromptAnswer,
  type Services,
} from '../../../../admin-api/miniapp/host/index.ts';
import { type ConformancePage, readConformance } from '../../../../admin-api/miniapp/sdk/conformance.ts';
import { trustedSdks } from '../../../../admin-api/miniapp/sdk/trust.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { FakeDocument } from './fake-document.ts';

const test = suite('admin-api/miniapp/sdk/conformance');

async function auditOf(page: ConformancePage) {
  const files = Object.entries(readConformance(page)).map(([path, bytes]): [string, PackageFile] => [
    path,
    { path, size: bytes.length, read: async () => bytes },
  ]);
  const content = { files: new Map(files), close: async () => {} };
  const { findings, verdict } = await auditContent(content, new Findings(), { sdks: trustedSdks() });
  return { verdict, codes: findings.filter(({ type }) => type !== 'notice').map(({ code }) => code) };
}

test('the app is a package that the audit approves', async () => {
  // It shows that a host rejects POST.
  assert.equal(await auditOf('app'), { verdict: 'approved', codes: ['host_fetch_method'] });
});

test('the page of raw messages is rejected', async () => {
  const { verdict, codes } = await auditOf('protocol');
  assert.is(verdict, 'rejected');
  assert.ok(codes.includes('native_bridge') && codes.includes('parent_message'), `${codes}`);
});

/**
 * Time that passes only while the runtime is idle: pages and hosts are equally fast on every
 * machine, and the pages need not wait for seconds.
 */
class SimulatedTime {
  now = 0;
  /** Messages in flight, and work of the host that takes more than a turn. */
  busy = 0;
  #timers: { readonly at: number; readonly run: () => void }[] = [];
  #isStopped = false;

  constructor() {
    void this.#pass();
  }

  get date(): number {
    return Date.UTC(2026, 0, 1) + this.now;
  }

  set(run: () => void, ms: number): object {
    const timer = { at: this.now + ms, run };
    this.#timers.push(timer);
    return timer;
  }

  clear(timer: object | undefined): void {
    this.#timers = this.#timers.filter((other) => other !== timer);
  }

  /** In a later turn. */
  send(deliver: () => void): void {
    this.busy++;
    setImmediate(() => {
      this.busy--;
      deliver();
    });
  }

  async during<T>(work: Promise<T>): Promise<T> {
    this.busy++;
    try {
      return await work;
    } finally {
      this.busy--;
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #pass(): Promise<void> {
    let idle = 0;
    while (!this.#isStopped) {
      await new Promise((resolve) => setImmediate(resolve));
      idle = this.busy === 0 ? idle + 1 : 0;
      if (idle < IDLE_TURNS || this.#timers.length === 0) continue;
      idle = 0;
      const next = this.#timers.reduce((first, timer) => (timer.at < first.at ? timer : first));
      this.clear(next);
      this.now = next.at;
      next.run();
    }
  }
}

/** Turns of the loop without work, after which the next timer is due. */
const IDLE_TURNS = 3;

interface Check {
  readonly group: string;
  readonly name: string;
  readonly state: string;
  readonly detail: string;
}

class RunningPage {
  readonly document = new FakeDocument();
  readonly #folder = temporaryFolder('conformance');
  readonly storage = new AppStorage(this.#folder);
  /** Of the user, for the next question. */
  answer: PromptAnswer = 'granted';
  isPhotoTaken = true;
  readonly #files: Readonly<Record<string, Buffer>>;
  readonly #session: PageSession;
  readonly #tasks = new Map<string, object>();
  readonly #time = new SimulatedTime();
  readonly #app: { id: string; permissions: string[]; background?: { permissions: string[] } };

  constructor(page: ConformancePage, { change = (text) => text }: { change?: (text: string) => string } = {}) {
    this.#files = readConformance(page);
    this.#app = JSON.parse(`${this.#files['manifest.json']}`);
    const listeners: ((event: object) => void)[] = [];
    const parent = { postMessage: (text: string) => this.#time.send(() => this.#session.receive(text)) };
    this.#session = new PageSession({
      app: this.#app,
      permissions: new Permissions(this.#app, {
        // A person takes longer than a host.
        prompt: () => new Promise((resolve) => this.#time.set(() => resolve(this.answer), 1000)),
      }),
      services: this.#services(),
      hostVersion: '1.0.0',
      send: (text) =>
        this.#time.send(() => listeners.forEach((listen) => void listen({ source: parent, data: change(text) }))),
      log: () => {},
      now: () => this.#time.now,
    });
    const window: Record<string, unknown> = {
      document: this.document,
      parent,
      addEventListener: (type: string, listen: (event: object) => void) => type === 'message' && listeners.push(listen),
      setTimeout: (run: () => void, ms: number) => this.#time.set(run, ms),
      clearTimeout: (timer: object | undefined) => this.#time.clear(timer),
      dateNow: () => this.#time.date,
    };
    window.window = vm.createContext(window);
    vm.runInContext('Date.now = dateNow', window);
    this.storage.set(this.#app.id, 'first page', 'was here');
    const html = page === 'app' ? 'checks.html' : 'index.html';
    for (const [, script] of `${this.#files[html]}`.matchAll(/<script src="([^"]+)"/g))
      vm.runInContext(`${this.#files[script]}`, window, { filename: script });
  }

  #services(): Services {
    const offline = (): never => {
      throw new HostFault('network_error', 'There is no address.');
    };
    return {
      storage: {
        get: (appId, key) => this.storage.get(appId, key),
        set: (appId, key, value) => this.#time.during(this.storage.set(appId, key, value)),
      },
      toast: () => {},
      vibrate: () => {},
      takePhoto: () => {
        if (!this.isPhotoTaken) throw new HostFault('cancelled', 'The user took no photo.');
        return '/9j/AAAA';
      },
      deviceInfo: () => ({ model: 'Phone', osVersion: '14', batteryLevel: 80 }),
      fetch: (_call, { url, method }) => {
        if (url !== 'https://example.com/') return offline();
        const body = method === 'HEAD' ? '' : '<!doctype html><html></html>';
        return { ok: true, status: 200, url, headers: { 'content-type': 'text/html' }, body, encoding: 'utf-8' };
      },
      schedule: (_call, taskId, delayMs) => this.#schedule(taskId, delayMs),
    };
  }

  #schedule(taskId: string, delayMs: number): void {
    if (!this.#tasks.has(taskId) && this.#tasks.size >= LIMITS.tasks)
      throw new HostFault('quota_exceeded', `The app has ${LIMITS.tasks} tasks.`);
    this.#time.clear(this.#tasks.get(taskId));
    const run = (): void => {
      this.#tasks.delete(taskId);
      const call = (operation: unknown, params: unknown) => callInBackground(this, this.#app, operation, params);
      const event = { type: 'schedule', timestamp: this.#time.date, appId: this.#app.id };
      const context = vm.createContext({ Host: { call }, event });
      vm.runInContext(`${this.#files['background.js']};onBackgroundEvent(event)`, context);
    };
    this.#tasks.set(taskId, this.#time.set(run, delayMs));
  }

  get checks(): Check[] {
    return JSON.parse(this.document.getElementById('summary').textContent).checks;
  }

  /** Presses the button of a group, and waits for its end. */
  async start(group: string): Promise<void> {
    const [section] = this.document
      .getElementById('groups')
      .find('section')
      .filter(({ children }) => children[0].textContent === group);
    const [button] = section.find('button');
    button.click();
    while (button.disabled) await this.#pause();
  }

  async automaticDone(): Promise<void> {
    while (this.document.documentElement.dataset.automatic !== 'done') await this.#pause();
  }

  /** The check whose name begins so, once it has run. */
  async settled(name: string): Promise<Check> {
    for (;;) {
      const check = this.checks.find((candidate) => candidate.name.startsWith(name));
      if (check !== undefined && check.state !== 'waiting') return check;
      await this.#pause();
    }
  }

  readonly #pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));

  /** All checks, with a person who does what the page says. */
  async runAll(): Promise<readonly Check[]> {
    await this.automaticDone();
    for (const group of new Set(this.checks.filter(({ state }) => state === 'waiting').map((check) => check.group))) {
      this.answer = group === 'Denied' ? 'denied' : 'granted';
      this.isPhotoTaken = group !== 'No photo';
      await this.start(group);
    }
    return this.checks;
  }

  async close(): Promise<void> {
    this.#session.close();
    this.#time.stop();
    await this.storage.close();
    removeFolder(this.#folder);
  }
}

const failed = (checks: readonly Check[]): string[] =>
  checks
    .filter(({ state }) => state !== 'pass')
    .map(({ group, name, state, detail }) => `${group}: ${name}: ${state} ${detail}`);

for (const [page, count] of [
  ['app', 48],
  ['protocol', 51],
] as const)
  test(`${page}: our host passes`, async () => {
    const running = new RunningPage(page);
    try {
      const checks = await running.runAll();
      assert.equal(failed(checks), []);
      assert.ok(checks.length >= count, `${checks.length} checks`);
    } finally {
      await running.close();
    }
  });

/** Faults of a host, each with a check that finds it. */
const FAULTS: readonly [string, ConformancePage, (text: string) => string, string][] = [
  [
    'mixes up results',
    'app',
    (text) => text.replace('"value 3"', '"value 4"'),
    '50 concurrent calls get their own responses',
  ],
  ['never is busy', 'app', (text) => text.replace('"busy"', '"timeout"'), 'a flood of 400 calls: each is settled'],
  ['loses values', 'app', (text) => text.replace('"was here"', 'null'), 'a value of the page before is there'],
  ['has another version', 'protocol', (text) => text.replace('"1.0.0"', '"one"'), 'hello is answered with welcome'],
  [
    'has codes of its own',
    'protocol',
    (text) => text.replace('invalid_argument', 'bad'),
    'null as params is invalid_argument',
  ],
];

for (const [title, page, change, name] of FAULTS)
  test(`${page}: a host that ${title} fails`, async () => {
    const running = new RunningPage(page, { change });
    try {
      const { state } = await running.settled(name);
      assert.is(state, 'fail');
    } finally {
      await running.close();
    }
  });

test.run();
