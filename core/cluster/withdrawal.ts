/**
 * Takes a node that lags or stops out of the way of visitors, and back when it has caught up: by
 * commands of the operator, which end and begin the announcement of its anycast addresses. They are
 * run without a shell, one at a time, and again until they succeed, but once at the end.
 */

import type { Logger } from '../base/log/index.ts';
import { Periodic } from '../base/periodic.ts';
import type { Config } from '../config/index.ts';
import { runCommand } from './command.ts';
import type { Standing } from './standing.ts';

interface WithdrawalOptions {
  readonly settings: Pick<Config['cluster'], 'maxLag' | 'withdrawCommand' | 'announceCommand' | 'commandTimeout'>;
  readonly nodeName: string;
  readonly log: Logger;
  /** Milliseconds between looks. */
  readonly interval: number;
  standing(): Standing;
}

/** Milliseconds from a failure to the next try, doubled up to the last. */
const FIRST_PAUSE = 2000;
const LONGEST_PAUSE = 60_000;
/**
 * Seconds of lag at which a node counts as caught up: looks at the log are a second apart, and may
 * take two.
 */
const CAUGHT_UP = 5;

/** Milliseconds between looks. */
const LOOK = 1000;

/** Who is alone has all that anybody has. */
const ALONE: Standing = {
  state: 'following',
  lagEntries: 0,
  lagSeconds: 0,
  etcdSeconds: null,
  agreedLevel: null,
  storage: null,
  damagedValues: 0,
  pending: [],
};

/** `standing` is null for a node that is alone. Null: nothing is to be done. */
export function openWithdrawal(
  { cluster, nodeName }: Pick<Config, 'cluster' | 'nodeName'>,
  standing: (() => Standing) | null,
  log: Logger,
): Withdrawal | null {
  const { withdrawCommand, announceCommand } = cluster;
  if (withdrawCommand === undefined && announceCommand === undefined) return null;
  return new Withdrawal({ settings: cluster, nodeName, log, standing: standing ?? (() => ALONE), interval: LOOK });
}

type Action = 'withdraw' | 'announce';

interface Occasion extends Pick<Standing, 'lagEntries' | 'lagSeconds'> {
  readonly state: Standing['state'] | 'stopping';
}

export class Withdrawal {
  readonly #options: WithdrawalOptions;
  readonly #looks: Periodic;
  /** What was done last; null: nothing is known of how the last process has left it. */
  #done: Action | null = null;
  #pause = FIRST_PAUSE;
  #tryAt = 0;

  constructor(options: WithdrawalOptions) {
    this.#options = options;
    const { interval, log } = options;
    this.#looks = new Periodic(() => this.#look(), {
      interval,
      onEnd: (error) => error !== null && log.error('cannot determine whether to withdraw', { error }),
    });
    this.#looks.start();
  }

  /** Withdraws before the service ends, with one try. Resolves when no command runs any more. */
  async stop(): Promise<void> {
    await this.#looks.stop();
    const { settings, standing } = this.#options;
    if (settings.withdrawCommand !== undefined && this.#done !== 'withdraw')
      await this.#run('withdraw', { ...standing(), state: 'stopping' });
  }

  async #look(): Promise<void> {
    if (performance.now() < this.#tryAt) return;
    const standing = this.#options.standing();
    const due = this.#due(standing);
    if (due === null || due === this.#done) return;
    await this.#run(due, standing);
  }

  /** Null: neither; it is left as it is, so that a node at the bound does not go back and forth. */
  #due({ state, lagSeconds }: Standing): Action | null {
    const { maxLag } = this.#options.settings;
    if (lagSeconds > maxLag) return 'withdraw';
    const isSound = state === 'following' || state === 'without_etcd';
    return isSound && lagSeconds <= Math.min(CAUGHT_UP, maxLag) ? 'announce' : null;
  }

  async #run(action: Action, { state, lagEntries, lagSeconds }: Occasion): Promise<void> {
    const { settings, nodeName, log } = this.#options;
    const command = action === 'withdraw' ? settings.withdrawCommand : settings.announceCommand;
    const setting = `cluster.${action}_command`;
    const seconds = Math.round(lagSeconds);
    const fields = { state, lagEntries, lagSeconds: seconds };
    if (command === undefined) {
      log.warn(`cannot ${action} the addresses of this node: ${setting} is not set`, fields);
      this.#done = action;
      return;
    }
    const more = { ACTION: action, NODE_NAME: nodeName, STATE: state, LAG_ENTRIES: lagEntries, LAG_SECONDS: seconds };
    const { fault, output } = await runCommand(command, more, settings.commandTimeout);
    const result = { ...fields, command: command.join(' '), ...(output && { output }) };
    if (fault === null) {
      log[action === 'withdraw' ? 'warn' : 'info'](`${setting} succeeded`, result);
      this.#done = action;
      this.#pause = FIRST_PAUSE;
      return;
    }
    if (state === 'stopping') {
      log.error(`${setting} failed`, { ...result, reason: fault });
      return;
    }
    log.error(`${setting} failed; retrying`, { ...result, reason: fault, seconds: this.#pause / 1000 });
    this.#tryAt = performance.now() + this.#pause;
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }
}
