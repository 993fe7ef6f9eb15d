/** Runs the built daemon: `node main.js serve` with its own data folder and ports. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiClient } from './api-client.ts';
import { type Child, startChild } from './child.ts';
import { inheritedEnvironment } from './inherited-environment.ts';
import { PATIENCE_MS } from './patience.ts';
import { freePort } from './ports.ts';
import { removeFolder, temporaryFolder } from './temp.ts';

/** main.js in the root of the compiled tree that this file belongs to. */
export const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));
const BIND_TRIES = 3;

export const ADMIN_PASSWORD = 'correct horse battery staple';

/** Settings of every daemon of the tests. */
export const USUAL = {
  WAYPOST_ADMIN_PASSWORD: ADMIN_PASSWORD,
  WAYPOST_RATE_LIMIT: '0',
  WAYPOST_ADMIN_LOGIN_RATE_LIMIT: '0',
  WAYPOST_DNS_WORKERS: '1',
  WAYPOST_EDGE_HTTP_LISTEN: 'off',
  WAYPOST_EDGE_HTTPS_LISTEN: 'off',
  // Nothing listens there: tests must not query other machines.
  WAYPOST_ACME_RESOLVERS: '127.0.0.1:9',
  WAYPOST_ALIAS_RESOLVERS: '127.0.0.1:9',
  WAYPOST_EDGE_RESOLVERS: '127.0.0.1:9',
  WAYPOST_DNSSEC_RESOLVERS: '127.0.0.1:9',
  WAYPOST_WEBHOOKS_RESOLVERS: '127.0.0.1:9',
  WAYPOST_DOMAINS_CHECK_DELEGATION: 'false',
};

/** The last line of a start, as text or JSON. */
const READY = /^waypost ready|"message":"ready"/m;

export interface ServingDaemon {
  readonly dataDir: string;
  readonly dnsPort: number;
  readonly adminPort: number;
  /** Environment in which the command line finds this daemon's data. */
  readonly env: NodeJS.ProcessEnv;
  readonly api: ApiClient;
}

/** A daemon of one test. */
export interface Daemon extends ServingDaemon {
  /** The current process; `start` replaces it. */
  readonly child: Child;
  /** Sends SIGTERM and returns the exit code. Throws if the daemon does not stop. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL. Resolves when the process has exited. */
  kill(): Promise<void>;
  /**
   * Restarts with the same data and ports, after `stop` or `kill`. Resolves when ready. `main`:
   * main.js of another version.
   */
  start(main?: string): Promise<void>;
  /** Stops it and removes its data. */
  close(): Promise<void>;
}

export interface Launch {
  /** main.js of another version. */
  readonly main?: string;
  /** A command that runs the daemon, such as one that puts it into a control group. */
  readonly prefix?: readonly string[];
  /** Options of Node. */
  readonly options?: readonly string[];
}

/**
 * Starts a daemon and resolves when it has printed its ready line. `settings`: additional WAYPOST_*
 * variables.
 */
export async function startDaemon(
  settings: Record<string, string> = {},
  { main = MAIN, prefix = [], options = [] }: Launch = {},
): Promise<Daemon> {
  const dataDir = temporaryFolder('data');
  for (let attempt = 1; ; attempt++) {
    const dnsPort = await freePort();
    const adminPort = await freePort();
    const env = environment({
      WAYPOST_DATA_DIR: join(dataDir, 'data'),
      WAYPOST_DNS_LISTEN: `127.0.0.1:${dnsPort}`,
      WAYPOST_ADMIN_LISTEN: `127.0.0.1:${adminPort}`,
      ...USUAL,
      ...settings,
    });
    const launch = (program: string): Child => {
      const [command, ...args] = [...prefix, process.execPath, ...options, program, 'serve'];
      return startChild(command, args, env);
    };
    let child = launch(main);
    try {
      await child.waitFor(READY);
    } catch (error) {
      await child.stop('SIGKILL');
      if (attempt < BIND_TRIES && /EADDRINUSE/.test(child.output())) continue;
      removeFolder(dataDir);
      throw error;
    }
    return {
      dataDir: join(dataDir, 'data'),
      dnsPort,
      adminPort,
      env,
      api: new ApiClient(`http://127.0.0.1:${adminPort}`),
      get child() {
        return child;
      },
      stop: () => stopped(child),
      kill: async () => void (await child.stop('SIGKILL')),
      async start(program = main) {
        child = launch(program);
        await child.waitFor(READY);
      },
      async close() {
        try {
          await stopped(child);
        } finally {
          removeFolder(dataDir);
        }
      },
    };
  }
}

/** Throws if the daemon had to be killed. */
async function stopped(child: Child): Promise<number | null> {
  const wasRunning = !child.exited();
  const code = await child.stop();
  if (wasRunning && code === null) throw new Error(`the daemon did not stop on SIGTERM:\n${child.output()}`);
  return code;
}

/** Runs a command of Waypost to completion, for at most `ms` milliseconds. */
export async function runCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  ms = PATIENCE_MS,
): Promise<{ code: number | null; output: string }> {
  const child = startChild(process.execPath, [MAIN, ...args], env);
  const code = await child.ended(ms);
  return { code, output: child.output() };
}

/** The inherited environment without WAYPOST_* variables, plus `settings`. */
export function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
  // Tests kill daemons many times within minutes, on a disk that may be almost full.
  const usual = { WAYPOST_PROTECTION_START_DELAY: '0', WAYPOST_PROTECTION_DISK_RESERVE: '0' };
  return { ...inheritedEnvironment(), ...usual, ...settings };
}
