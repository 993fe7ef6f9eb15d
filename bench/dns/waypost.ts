/**
 * Waypost as it is built next to this file: its environment, a token, and the import of a folder of
 * zones.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MAIN_HEAP } from '../../core/base/main-heap.ts';
import { tlsFiles } from './certificate.ts';
import { ServerProcess } from './process.ts';
import { type Command, firstLine, type Server } from './servers.ts';
import { hostName, MIX, type ZoneSet } from './zones.ts';

const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));
const PASSWORD = 'benchmark-on-loopback';
const READY_LIMIT = 120_000;

/** Where a daemon of the benchmark listens and what it is started with. */
export class Daemon {
  readonly dnsPort: number;
  readonly url: string;
  readonly #settings: Record<string, string>;

  /** `settings`: further WAYPOST_ variables. `address`: IPv4. */
  constructor(
    dataFolder: string,
    dnsPort: number,
    adminPort: number,
    settings: Record<string, string> = {},
    address = '127.0.0.1',
  ) {
    this.dnsPort = dnsPort;
    this.url = `http://${address}:${adminPort}`;
    this.#settings = {
      WAYPOST_DATA_DIR: dataFolder,
      WAYPOST_DNS_LISTEN: `${address}:${dnsPort}`,
      WAYPOST_EDGE_HTTP_LISTEN: 'off',
      WAYPOST_EDGE_HTTPS_LISTEN: 'off',
      WAYPOST_ADMIN_LISTEN: `${address}:${adminPort}`,
      WAYPOST_ADMIN_PASSWORD: PASSWORD,
      WAYPOST_RATE_LIMIT: '0',
      WAYPOST_ADMIN_LOGIN_RATE_LIMIT: '0',
      WAYPOST_LOG_LEVEL: 'warn',
      WAYPOST_DOMAINS_CHECK_DELEGATION: 'false',
      ...settings,
    };
  }

  /**
   * The benchmark's environment less what it says of Waypost: nothing of a developer's own set-up
   * leaks into a figure.
   */
  #environment(settings: Record<string, string>): NodeJS.ProcessEnv {
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('WAYPOST_'));
    return { ...Object.fromEntries(own), ...settings };
  }

  command(): Command {
    // As npm start and the unit of systemd start it.
    const args = [...MAIN_HEAP, MAIN, 'serve'];
    return { command: process.execPath, args, env: this.#environment(this.#settings) };
  }

  /**
   * Starts it and waits for /readyz. Throws an Error with the end of its log when it does not come
   * up.
   */
  async start(log: string): Promise<ServerProcess> {
    const daemon = this.launch(log);
    await this.ready(daemon);
    return daemon;
  }

  /** It is not to be asked before it is `ready`. */
  launch(log: string): ServerProcess {
    const { command, args, env } = this.command();
    return new ServerProcess(command, args, log, env);
  }

  async ready(daemon: ServerProcess): Promise<void> {
    const end = performance.now() + READY_LIMIT;
    for (;;) {
      daemon.assertAlive();
      const ready = await fetch(`${this.url}/readyz`).then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.ok;
        },
        () => false,
      );
      if (ready) return;
      if (performance.now() > end) {
        await daemon.stop();
        throw new Error(`Waypost is not ready after ${READY_LIMIT / 1000} s.`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** An API key of the account `admin`. */
  async token(): Promise<string> {
    const answer = await fetch(`${this.url}/api/v1/auth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ login: 'admin', password: PASSWORD, name: 'bench' }),
    });
    const body = (await answer.json()) as { ok: boolean; token?: string };
    if (!body.token) throw new Error(`No token: ${answer.status} ${JSON.stringify(body)}`);
    return body.token;
  }

  /** Signs these zones, or all; resolves when none is still being signed. */
  async signZones(token: string, chosen?: readonly (number | string)[]): Promise<void> {
    const call = (method: string, path: string, body?: unknown) => this.#call(token, method, path, body);
    const ids = chosen ?? (await this.#allZones(token));
    for (const id of ids) await call('PUT', `/domains/${id}/dnssec`, { enabled: true });
    for (const id of ids)
      for (;;) {
        const { status, next_at } = await call('GET', `/domains/${id}/dnssec`);
        // What remains is that caches forget the unsigned zone.
        if (status !== 'signing' || typeof next_at === 'string') break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
  }

  /** Steers the hosts of all zones of the mix: by eight networks, two answers each, by weight. */
  async steerHosts(token: string): Promise<void> {
    const pools = [0, 1, 2, 3].map((pool) => ({
      name: `pool${pool}`,
      answers: [1, 2].map((answer) => ({ content: `203.0.113.${10 * pool + answer}`, weight: answer })),
    }));
    const rules = Array.from({ length: 8 }, (_, i) => ({
      match: { network: i === 7 ? '127.0.0.0/8' : `10.${i}.0.0/16` },
      pool: `pool${i % 4}`,
    }));
    const hosts = Array.from({ length: MIX.hosts }, (_, i) => hostName(i));
    const steerZone = async (id: number | string): Promise<void> => {
      for (const host of hosts) await this.#call(token, 'PUT', `/domains/${id}/steering/${host}/A`, { pools, rules });
    };
    // Zones in turns share commits.
    await Promise.all((await this.#allZones(token)).map(steerZone));
  }

  async #allZones(token: string): Promise<(number | string)[]> {
    const ids: (number | string)[] = [];
    for (let cursor = ''; ; ) {
      const page = await this.#call(token, 'GET', `/domains?limit=100${cursor}`);
      for (const { id } of page.domains ?? []) ids.push(id);
      if (!page.next_cursor) return ids;
      cursor = `&cursor=${page.next_cursor}`;
    }
  }

  async #call(token: string, method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as ApiAnswer;
  }

  /**
   * `waypost zone import FOLDER`, the apex as in the files. Resolves with what it printed and the
   * seconds it took.
   */
  async importFolder(folder: string, token: string): Promise<{ output: string; seconds: number }> {
    const begin = performance.now();
    const child = spawn(process.execPath, [MAIN, 'zone', 'import', folder, '--apex', 'keep'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: this.#environment({ WAYPOST_URL: this.url, WAYPOST_TOKEN: token }),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    const code = await new Promise<number | null>((resolve, reject) =>
      child.once('error', reject).once('close', resolve),
    );
    if (code !== 0) throw new Error(`waypost zone import ended with ${code}:\n${output.slice(-2000)}`);
    return { output, seconds: (performance.now() - begin) / 1000 };
  }
}

/** What the signing of zones reads of the API. */
interface ApiAnswer {
  readonly domains?: readonly { readonly id: number }[];
  readonly next_cursor?: string | null;
  readonly status?: string;
  readonly next_at?: string | null;
}

export class Waypost implements Server {
  readonly name: string;
  readonly port: number;
  readonly tlsPort: number;
  readonly answers = true;
  readonly #settings: Record<string, string>;
  readonly #instance: number;
  readonly isUnsigned: boolean;

  /**
   * `isUnsigned`: zones are neither signed nor steered, whatever the set says. `instance`: above 0
   * for one that runs at the same time as another. `settings`: WAYPOST_ variables in addition to
   * those that every run has (one worker, its ports and folder, no rate limit).
   */
  constructor(name = 'Waypost', settings: Record<string, string> = {}, instance = 0, isUnsigned = false) {
    this.name = name;
    this.port = 5943 + 2 * instance;
    this.tlsPort = this.port + 10;
    this.#instance = instance;
    this.#settings = settings;
    this.isUnsigned = isUnsigned;
  }

  version(): string | null {
    return existsSync(MAIN) ? firstLine(process.execPath, [MAIN, '--version']) : null;
  }

  /** Imports the zones once into a data folder that is kept for later runs and rows. */
  async prepare(set: ZoneSet, zoneFolder: string, work: string): Promise<Command> {
    const data = join(work, `waypost-${set.id}${this.#instance === 0 ? '' : `-${this.#instance}`}`);
    const { certificate, key } = tlsFiles(work);
    const daemon = new Daemon(data, this.port, this.port + 3000, {
      WAYPOST_DNS_WORKERS: '1',
      // The generator has few addresses and many connections.
      WAYPOST_DNS_TCP_MAX_CONNECTIONS: '10000',
      WAYPOST_DNS_TCP_MAX_PER_ADDRESS: '10000',
      WAYPOST_DNS_TLS_LISTEN: `127.0.0.1:${this.tlsPort}`,
      WAYPOST_DNS_TLS_CERTIFICATE: certificate,
      WAYPOST_DNS_TLS_KEY: key,
      ...this.#settings,
    });
    const stamp = `${data}.imported`;
    const expected = `${set.zoneText(0)}${set.zones}`;
    if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== expected || !existsSync(data)) {
      rmSync(stamp, { force: true });
      rmSync(data, { recursive: true, force: true });
      mkdirSync(data, { recursive: true });
      const daemonProcess = await daemon.start(`${work}/waypost-import.log`);
      try {
        const token = await daemon.token();
        const { seconds } = await daemon.importFolder(zoneFolder, token);
        const records = set.zones * set.records;
        process.stderr.write(
          `imported ${records} records in ${seconds.toFixed(1)} s (${Math.round(records / seconds)}/s)\n`,
        );
        if (set.signed === true && !this.isUnsigned) {
          const begin = performance.now();
          await daemon.signZones(token);
          process.stderr.write(`signed them in ${((performance.now() - begin) / 1000).toFixed(1)} s\n`);
        }
        if (set.steered === true && !this.isUnsigned) {
          const begin = performance.now();
          await daemon.steerHosts(token);
          process.stderr.write(`steered them in ${((performance.now() - begin) / 1000).toFixed(1)} s\n`);
        }
      } finally {
        await daemonProcess.stop();
      }
      writeFileSync(stamp, expected);
    }
    return daemon.command();
  }
}
