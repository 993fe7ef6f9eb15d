/** The command `waypost`: options for all, one file for each group of commands, and exit codes. */
import { Command, CommanderError } from 'commander';
import { addAccountCommands } from './account.ts';
import { addAnswersCommands } from './answers.ts';
import { addAuditCommand } from './audit.ts';
import { addChangeCommand } from './change.ts';
import { addConfigCommands } from './check-config.ts';
import { addClusterCommands } from './cluster.ts';
import { addDomainCommands } from './domain.ts';
import { reportError } from './errors.ts';
import type { CliIo, GlobalOptions } from './io.ts';
import { addPkgCommands } from './pkg.ts';
import { addProxyCommands } from './proxy.ts';
import { addRecordCommands } from './record.ts';
import { addServeCommand } from './serve.ts';
import { addStatusCommand } from './status.ts';
import { addTokenCommands } from './token.ts';
import { addTsigCommands } from './tsig.ts';
import { addZoneCommands } from './zone.ts';

/** What a command's work ends with: true or nothing for success, false when it has said itself what failed. */
export type Outcome = boolean | undefined;

/** What a group needs to add its commands: wraps the work of a command so that its outcome reaches the exit code. */
export interface CommandContext {
  readonly io: CliIo;
  /** `work` gets the command's positional arguments, and its own and the global options. */
  action<Options extends object>(
    work: (options: Options & GlobalOptions, args: readonly string[]) => Promise<Outcome>,
  ): (...all: unknown[]) => Promise<void>;
}

const FAILED = 1;
const MISUSED = 2;

const EXAMPLES = `
Examples:
  $ waypost serve                                      run the daemon
  $ export WAYPOST_TOKEN=$(waypost token create --login admin)
  $ waypost domain add example.com
  $ waypost record add example.com www A 192.0.2.1
  $ waypost proxy set example.com origin.example.net && waypost proxy on example.com
  $ waypost zone import zones/                         every NAME.zone of the folder
  $ waypost zone export example.net --out example.net.zone
  $ waypost status

Environment:
  WAYPOST_URL, WAYPOST_TOKEN   as --url and --token; a token in the environment can't be seen by other users
  WAYPOST_CONFIG               as --config; "waypost check-config" lists the variables of all settings
`;

type AddCommands = (program: Command, context: CommandContext) => void;

/** As the help lists them. */
const GROUPS: readonly (readonly [string, readonly AddCommands[]])[] = [
  ['Domains and records:', [addDomainCommands, addRecordCommands, addZoneCommands]],
  ['Proxy:', [addProxyCommands]],
  ['Packages:', [addPkgCommands]],
  ['Accounts and tokens:', [addAccountCommands, addTokenCommands, addTsigCommands]],
  ['What happened:', [addAuditCommand, addChangeCommand]],
  ['Several nodes:', [addClusterCommands]],
  ['The daemon:', [addServeCommand, addStatusCommand, addConfigCommands, addAnswersCommands]],
];

/** Runs one command. Returns the exit code: 0 done, 1 failed, 2 not understood. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  let code = 0;
  const program = new Command('waypost');
  // Inherited by the commands that are added later.
  program
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(--help says more)');
  program
    .description('Authoritative nameserver with a REST API, and the tool to run both')
    .version(io.version)
    .option('--url <url>', 'the daemon, such as http://127.0.0.1:8300')
    .option('--token <token>', 'API token')
    .option('--config <file>', 'configuration file (TOML)')
    .option('--json', 'print results and errors as JSON, an object a line')
    .addHelpText('after', EXAMPLES);
  const context: CommandContext = {
    io,
    action:
      (work) =>
      async (...all) => {
        const command = all[all.length - 1] as Command;
        if ((await work(command.optsWithGlobals(), command.args)) === false) code = FAILED;
      },
  };
  for (const [heading, groups] of GROUPS) {
    program.commandsGroup(heading);
    for (const add of groups) add(program, context);
  }
  program.commandsGroup('Help:').helpCommand(true);
  ignoreClosedPipe(io);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    // Commander has written its own message; --help and --version end this way too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
    reportError(io, error, program.opts<GlobalOptions>().json);
    return FAILED;
  }
}

/** `waypost zone list | head` closes our output early: that is no failure of ours. */
function ignoreClosedPipe({ stdout }: CliIo): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
