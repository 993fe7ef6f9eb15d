/** Faults in running daemons, and the alerts of a real Prometheus that they fire. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, type Daemon, type Launch, startDaemon } from '../support/daemon.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { untilPasses } from '../support/until.ts';
import { type Prometheus, startPrometheus } from '../system/prometheus.ts';

/** NOTIFY is given up after a little over two minutes. */
const LONG_MS = 2 * PATIENCE_MS;

export interface Watch {
  readonly prometheus: Prometheus;
  /** Repeats `step` until all of these alerts have fired. */
  untilFired(alerts: readonly string[], step?: () => Promise<unknown>): Promise<void>;
  /** Alerts that fire now. */
  firing(): Promise<string[]>;
}

/** `numbers`: thresholds of rules that no test reaches, and those in their place. */
export async function withPrometheus(
  daemons: readonly { readonly adminPort: number }[],
  use: (watch: Watch) => Promise<void>,
  numbers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = temporaryFolder('alerts');
  const targets = daemons.map(({ adminPort }) => `127.0.0.1:${adminPort}`);
  const prometheus = await startPrometheus(folder, targets, { isQuick: true, numbers });
  const firing = async (): Promise<string[]> =>
    (await prometheus.query('ALERTS{alertstate="firing"}')).map(({ metric }) => metric.alertname);
  const untilFired: Watch['untilFired'] = async (alerts, step = () => sleep(200)) => {
    const missing = new Set(alerts);
    await untilPasses(async () => {
      await step();
      for (const alert of await firing()) missing.delete(alert);
      assert.equal([...missing], [], 'these alerts do not fire');
    }, LONG_MS);
  };
  try {
    // A counter that rises before it is first read does not rise for Prometheus.
    await untilPasses(async () => assert.is((await prometheus.query('up == 1')).length, targets.length));
    await use({ prometheus, untilFired, firing });
  } finally {
    await prometheus.stop();
    removeFolder(folder);
  }
}

/** With a daemon that the client of its API has logged in to. */
export async function withDaemon(
  settings: Record<string, string>,
  use: (daemon: Daemon) => Promise<void>,
  launch: Launch = {},
): Promise<void> {
  const daemon = await startDaemon(settings, launch);
  try {
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    await use(daemon);
  } finally {
    await daemon.close();
  }
}
