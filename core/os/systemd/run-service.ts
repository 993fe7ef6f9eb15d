/**
 * Runs the daemon as a service: starts its parts, reports to systemd, reloads on SIGHUP, and stops
 * the parts in reverse order on SIGTERM or SIGINT.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/log/index.ts';
import { LogThrottle } from '../../base/log/throttle.ts';
import { SharedRun } from '../../base/shared-run.ts';
import { Stops } from '../../base/stops.ts';
import { Service, type Watched } from './service.ts';

/**
 * Handles SIGHUP, which requests a reload, for the life of the process. Without a handler, the
 * signal would end the process during a start or a stop.
 */
class HangUp {
  #reload: (() => unknown) | null = null;
  /** A reload was requested while no handler was set. */
  #isDue = false;

  constructor() {
    process.on('SIGHUP', () => {
      this.#isDue = this.#reload === null;
      this.#reload?.();
    });
  }

  /**
   * Sets the handler of reloads, and calls it if a reload is pending. Null: no handler for now.
   * Must not throw.
   */
  follow(reload: (() => unknown) | null): void {
    this.#reload = reload;
    if (reload === null || !this.#isDue) return;
    this.#isDue = false;
    reload();
  }
}

/** The parts, once all of them serve. */
export interface Running extends Watched {
  /** Reads configuration and certificates again, and logs the outcome. Never rejects. */
  reload(): Promise<void>;
  /** Resolves when the parts must stop and start again with another store. */
  readonly replaced: Promise<void>;
  /** Called when signals stop the service. */
  onServing(): void;
  /** Called before the parts stop: the service is not ready from now on. */
  onStopping(): void;
  /** Milliseconds between that and the first part that stops. */
  drainDelay(): number;
}

interface ServiceParts {
  readonly log: Logger;
  /** Starts the parts and registers the stop of each. Null: stop and start all again. */
  start(stops: Stops): Promise<Running | null>;
}

/** Deadline in milliseconds to flush the output at the end. */
const OUTPUT_MS = 2000;

/** Resolves after the parts have stopped. If one cannot start, stops the others and rejects. */
export async function runService({ log, start }: ServiceParts): Promise<void> {
  outliveOutput(log);
  const stops = new Stops();
  const hangUp = new HangUp();
  const service = new Service({ env: process.env, log });
  try {
    for (;;) {
      const running = await start(stops);
      if (running !== null && (await untilEnd(running, { log, stops, hangUp, service })) === 'signal') break;
      await stops.run();
    }
  } finally {
    await stops.run();
    service.close();
    // A process that holds standard output open without reading must not keep this process alive.
    setTimeout(() => process.exit(), OUTPUT_MS).unref();
  }
}

interface Lifecycle {
  readonly log: Logger;
  readonly stops: Stops;
  readonly hangUp: HangUp;
  readonly service: Service;
}

/** Resolves when the service must end, or when its parts must start again. */
async function untilEnd(running: Running, { log, stops, hangUp, service }: Lifecycle): Promise<'signal' | 'replaced'> {
  let isStopping = false;
  // Signals first: a program that waits for readiness may stop the service immediately.
  const signalled = untilSignal(stops);
  service.ready(running);
  const reloads = new SharedRun(async () => {
    if (isStopping) return;
    log.info('reloading', { signal: 'SIGHUP' });
    service.reloading();
    await running.reload();
    if (!isStopping) service.ready();
  });
  hangUp.follow(() => void reloads.join());
  stops.add(() => hangUp.follow(null));
  running.onServing();
  const signal = await Promise.race([signalled, running.replaced]);
  isStopping = true;
  running.onStopping();
  if (signal === undefined) {
    log.info('restarting with the store of another node');
    service.reloading();
    return 'replaced';
  }
  log.info('stopping', { signal });
  service.stopping();
  const delay = running.drainDelay();
  // Probes and load balancers see that the service is not ready before it refuses connections. A
  // second signal ends the wait.
  if (delay > 0) {
    const wait = new AbortController();
    await Promise.race([untilSignal(stops), sleep(delay, undefined, { signal: wait.signal })]);
    wait.abort();
  }
  return 'signal';
}

function untilSignal(stops: Stops): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) {
      process.once(name, resolve);
      stops.add(() => process.off(name, resolve));
    }
  });
}

/** Errors of standard output end a command, but not the service: its disk may only be full. */
function outliveOutput(log: Logger): void {
  const throttle = new LogThrottle();
  process.stdout.removeAllListeners('error');
  process.stdout.on('error', (error) => {
    const count = throttle.due('output');
    if (count > 0) log.warn('cannot write to standard output', { count, reason: error.message });
  });
  // Each thread pipes its output to ours and listens to errors: more than ten listeners are no
  // leak.
  for (const output of [process.stdout, process.stderr]) output.setMaxListeners(0);
}
