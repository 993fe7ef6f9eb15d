/** `waypost reload`: has the daemon of this machine read its configuration again. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type ReloadOutcome, readReloadOutcome, resolveConfig } from '../../../core/config/index.ts';
import { processState } from '../../../core/os/process-state.ts';
import { holderOf } from '../../../core/store/lock.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { print, safeJson } from '../base/io.ts';

/** Milliseconds between two looks at the outcome, and the deadline. */
const POLL_MS = 100;
const DEADLINE_MS = 60_000;

export function addReloadCommand(program: Command, { io, action }: CommandContext): void {
  program
    .command('reload')
    .description('apply changed settings and certificate files')
    .addHelpText(
      'after',
      `
Sends SIGHUP to the daemon of the data folder, and shows which settings it has applied and which need a restart. An invalid
configuration changes nothing, and the exit code is 1. Without --config and WAYPOST_* variables, the settings of the systemd
unit are used. Run it as root or as the user of the daemon. "waypost check-config --json" says which settings are reloadable.

Examples:
  $ sudo waypost reload
  $ waypost reload --config /etc/waypost/waypost.toml --json
`,
    )
    .action(
      action(async (options) => {
        const { chooseConfiguration, unitEnvironment } = await import('../doctor/index.ts');
        const unit = unitEnvironment((path) => readFileSync(path, 'utf8'));
        const { config } = resolveConfig(chooseConfiguration({ file: options.config, env: io.env }, unit));
        const sleep = io.sleep ?? ((ms: number) => new Promise<void>((done) => setTimeout(done, ms)));
        const outcome = await reload(config.dataDir, sleep);
        if (outcome.error !== null)
          throw new CliError('reload_failed', outcome.error, { next: 'The daemon keeps its previous configuration.' });
        const { applied, needRestart } = outcome;
        if (options.json) print(io.stdout, safeJson({ ok: true, applied, need_restart: needRestart }));
        else {
          print(io.stdout, `applied: ${applied.join(', ') || 'no setting has changed'}`);
          if (needRestart.length > 0) print(io.stdout, `restart needed for: ${needRestart.join(', ')}`);
        }
        return true;
      }),
    );
}

/** Throws CliError if there is no daemon, or if it does not answer. */
async function reload(dataDir: string, sleep: (ms: number) => Promise<void>): Promise<ReloadOutcome> {
  const holder = holderOf(dataDir);
  if (holder === null || processState(holder.pid, holder.started) !== 'running')
    throw new CliError('no_daemon', `No daemon uses the data folder ${dataDir}.`, {
      next: 'Name its configuration with --config, or start it with "waypost serve".',
    });
  const { pid } = holder;
  const last = readReloadOutcome(dataDir);
  const before = last?.pid === pid ? last.count : 0;
  try {
    process.kill(pid, 'SIGHUP');
  } catch (error) {
    throw new CliError('no_permission', `Cannot signal the daemon (process ${pid}): ${(error as Error).message}.`, {
      next: 'Run the command as root or as the user of the daemon.',
    });
  }
  for (let waited = 0; waited < DEADLINE_MS; waited += POLL_MS) {
    const outcome = readReloadOutcome(dataDir);
    if (outcome !== null && outcome.pid === pid && outcome.count > before) return outcome;
    await sleep(POLL_MS);
  }
  throw new CliError('no_outcome', `The daemon (process ${pid}) has not reloaded within a minute.`, {
    next: 'Its log says why.',
  });
}
