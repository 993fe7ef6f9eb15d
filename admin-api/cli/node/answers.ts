/** `waypost answers`: the DNS answers compiled from the zones. */
import type { Command } from 'commander';
import { loadConfig } from '../../../core/config/index.ts';
import type { CommandContext } from '../base/command.ts';
import { print } from '../base/io.ts';

export function addAnswersCommands(program: Command, { io, action }: CommandContext): void {
  program
    .command('answers')
    .description('the DNS answers compiled from the zones')
    .command('rebuild')
    .description('recompile the answers of all zones in the data folder; the daemon must be stopped')
    .addHelpText('after', '\nExample:\n  $ WAYPOST_DATA_DIR=/var/lib/waypost waypost answers rebuild\n')
    .action(
      action(async (options) => {
        const config = loadConfig({ file: options.config, env: io.env });
        const started = performance.now();
        const { zones, answers } = await io.rebuildAnswers(config);
        const seconds = Math.round(performance.now() - started) / 1000;
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, zones, answers, seconds }));
        else print(io.stdout, `rebuilt ${answers} answers of ${zones} zones in ${seconds} s, in ${config.dataDir}`);
        return true;
      }),
    );
}
