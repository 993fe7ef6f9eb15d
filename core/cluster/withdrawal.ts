/**
 * Withdraws the anycast addresses of a node that lags or stops, and announces them when it has
 * caught up. The operator's commands do both. They run without a shell, one at a time, and are
 * retried until they succeed, except at the stop of the service.
 */

import type { LogFields, Logger } from '../base/log/index.ts';
import type { Task, Tasks } from '../base/tasks.ts';
import type { Config } from '../config/index.ts';
import { runCommand } from './command.ts';
import type { Standing } from './lag.ts';

interface WithdrawalOptions {
  readonly settings: Pick<Config['cluster'], 'maxLag' | 'withdrawCommand' | 'announceCommand' | 'commandTimeout'>;
  readonly nodeName: string;
  readonly tasks: Tasks;
  readonly log: Logger;
  standing(): Standing;
}

const RETRY = { first: 2000, longest: 60_000 };
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
  { tasks, log }: { readonly tasks: Tasks; readonly log: Logger },
): Withdrawal | null {
  const { withdrawCommand, announceCommand } = cluster;
  if (withdrawCommand === undefined && announceCommand === undefined) return null;
  return new Withdrawal({
    settings: cluster,
    nodeName,
    tasks,
    log,
    standing: standing ?? (() => SINGLE_NODE),
  });
}

type Action = 'withdraw' | 'announce';

interface Trigger extends Pick<Standing, 'lagEntries' | 'lagSeconds'> {
  readonly state: Standing['state'] | 'stopping';
}

export class Withdrawal {
  readonly #checks: Task;
  /**
   * The last action that succeeded or has no command; null: the state that the previous process
   * left is not known.
   */
  #lastAction: Action | null = null;

  constructor(private readonly options: WithdrawalOptions) {
    const { tasks, log } = options;
    this.#checks = tasks.add({
      name: 'withdrawal',
      owner: 'node',
      due: CHECK_MS,
      log,
      retry: RETRY,
      report(error, delay) {
        if (error instanceof CommandFailed)
          log.error(`${error.setting} failed; retrying`, { ...error.fields, seconds: delay / 1000 });
        else if (error !== null) log.error('cannot decide whether to withdraw', { error });
      },
      run: () => this.#check(),
    });
    this.#checks.start();
  }

  /** Withdraws before the service stops, without a retry. Resolves when no command is running. */
  async stop(): Promise<void> {
    await this.#checks.stop();
    const { settings, standing, log } = this.options;
    if (settings.withdrawCommand === undefined || this.#lastAction === 'withdraw') return;
    await this.#run('withdraw', { ...standing(), state: 'stopping' }).catch((error: unknown) => {
      if (error instanceof CommandFailed) log.error(`${error.setting} failed`, error.fields);
      else throw error;
    });
  }

  async #check(): Promise<void> {
    const standing = this.options.standing();
    const due = this.#due(standing);
    if (due === null || due === this.#lastAction) return;
    await this.#run(due, standing);
  }

  /** Null: no change, so that a node near the limit does not flap. */
  #due({ state, lagSeconds }: Standing): Action | null {
    const { maxLag } = this.options.settings;
    if (lagSeconds > maxLag) return 'withdraw';
    const isSound = state === 'following' || state === 'without_etcd';
    return isSound && lagSeconds <= Math.min(CAUGHT_UP_SECONDS, maxLag) ? 'announce' : null;
  }

  /** Rejects with CommandFailed. */
  async #run(action: Action, { state, lagEntries, lagSeconds }: Trigger): Promise<void> {
    const { settings, nodeName, log } = this.options;
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
    } else throw new CommandFailed(setting, { ...result, reason: fault });
  }
}

class CommandFailed extends Error {
  constructor(
    readonly setting: string,
    readonly fields: LogFields,
  ) {
    super(`${setting} failed`);
  }
}
