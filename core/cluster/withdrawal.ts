/**
 * Withdraws the anycast addresses of a node that lags or stops, and announces them when it has
 * caught up. The operator's commands do both. They run without a shell, one at a time, and are
 * retried until they succeed, except at the stop of the service.
 */

import type { Logger } from '../base/log/index.ts';
import { Periodic } from '../base/periodic.ts';
import type { Config } from '../config/index.ts';
import { runCommand } from './command.ts';
import type { Standing } from './lag.ts';

interface WithdrawalOptions {
  readonly settings: Pick<Config['cluster'], 'maxLag' | 'withdrawCommand' | 'announceCommand' | 'commandTimeout'>;
  readonly nodeName: string;
  readonly log: Logger;
  /** Milliseconds between checks of the standing. */
  readonly interval: number;
  standing(): Standing;
}

/** Minimum and maximum back-off in milliseconds after a failure. */
const MIN_BACKOFF_MS = 2000;
const MAX_BACKOFF_MS = 60_000;
/**
 * Maximum lag in seconds of a node that is caught up: the log is read every second, and a read may
 * take two.
 */
const CAUGHT_UP_SECONDS = 5;

/** Milliseconds between checks of the standing. */
const CHECK_MS = 1000;

/** A single node is never behind. */
const SINGLE_NODE: Standing = {
  state: 'following',
  lagEntries: 0,
  lagSeconds: 0,
  etcdSeconds: null,
  agreedLevel: null,
  etcd: null,
  damagedValues: 0,
  pending: [],
};

/** `standing`: null for a single node. Returns null if no command is configured. */
export function openWithdrawal(
  { cluster, nodeName }: Pick<Config, 'cluster' | 'nodeName'>,
  standing: (() => Standing) | null,
  log: Logger,
): Withdrawal | null {
  const { withdrawCommand, announceCommand } = cluster;
  if (withdrawCommand === undefined && announceCommand === undefined) return null;
  return new Withdrawal({
    settings: cluster,
    nodeName,
    log,
    standing: standing ?? (() => SINGLE_NODE),
    interval: CHECK_MS,
  });
}

type Action = 'withdraw' | 'announce';

interface Trigger extends Pick<Standing, 'lagEntries' | 'lagSeconds'> {
  readonly state: Standing['state'] | 'stopping';
}

export class Withdrawal {
  readonly #options: WithdrawalOptions;
  readonly #checks: Periodic;
  /**
   * The last action that succeeded or has no command; null: the state that the previous process
   * left is not known.
   */
  #lastAction: Action | null = null;
  #backoff = MIN_BACKOFF_MS;
  #retryAt = 0;

  constructor(options: WithdrawalOptions) {
    this.#options = options;
    const { interval, log } = options;
    this.#checks = new Periodic(() => this.#check(), {
      interval,
      onEnd: (error) => error !== null && log.error('cannot decide whether to withdraw', { error }),
    });
    this.#checks.start();
  }

  /** Withdraws before the service stops, without a retry. Resolves when no command is running. */
  async stop(): Promise<void> {
    await this.#checks.stop();
    const { settings, standing } = this.#options;
    if (settings.withdrawCommand !== undefined && this.#lastAction !== 'withdraw')
      await this.#run('withdraw', { ...standing(), state: 'stopping' });
  }

  async #check(): Promise<void> {
    if (performance.now() < this.#retryAt) return;
    const standing = this.#options.standing();
    const due = this.#due(standing);
    if (due === null || due === this.#lastAction) return;
    await this.#run(due, standing);
  }

  /** Null: no change, so that a node near the limit does not flap. */
  #due({ state, lagSeconds }: Standing): Action | null {
    const { maxLag } = this.#options.settings;
    if (lagSeconds > maxLag) return 'withdraw';
    const isSound = state === 'following' || state === 'without_etcd';
    return isSound && lagSeconds <= Math.min(CAUGHT_UP_SECONDS, maxLag) ? 'announce' : null;
  }

  async #run(action: Action, { state, lagEntries, lagSeconds }: Trigger): Promise<void> {
    const { settings, nodeName, log } = this.#options;
    const command = action === 'withdraw' ? settings.withdrawCommand : settings.announceCommand;
    const setting = `cluster.${action}_command`;
    const seconds = Math.round(lagSeconds);
    const fields = { state, lagEntries, lagSeconds: seconds };
    if (command === undefined) {
      log.warn(`cannot ${action} the addresses of this node: ${setting} is not set`, fields);
      this.#lastAction = action;
      return;
    }
    const more = { ACTION: action, NODE_NAME: nodeName, STATE: state, LAG_ENTRIES: lagEntries, LAG_SECONDS: seconds };
    const { fault, output } = await runCommand(command, more, settings.commandTimeout);
    const result = { ...fields, command: command.join(' '), ...(output && { output }) };
    if (fault === null) {
      log[action === 'withdraw' ? 'warn' : 'info'](`${setting} succeeded`, result);
      this.#lastAction = action;
      this.#backoff = MIN_BACKOFF_MS;
      return;
    }
    if (state === 'stopping') {
      log.error(`${setting} failed`, { ...result, reason: fault });
      return;
    }
    log.error(`${setting} failed; retrying`, { ...result, reason: fault, seconds: this.#backoff / 1000 });
    this.#retryAt = performance.now() + this.#backoff;
    this.#backoff = Math.min(this.#backoff * 2, MAX_BACKOFF_MS);
  }
}
