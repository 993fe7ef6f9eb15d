/** The command `waypost`: global options, command groups, and exit codes. */
import { Command, CommanderError, Help } from 'commander';
import { type BuildInfo, describeBuild } from '../../core/base/build-info.ts';
import type { CommandContext } from './base/command.ts';
import { reportError } from './base/errors.ts';
import type { CliIo, GlobalOptions } from './base/io.ts';

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
  $ waypost import /etc/bind/named.conf --dry-run      all zones of another nameserver
  $ waypost status
  $ waypost doctor                                     what is wrong with this machine, and how to fix it

Environment:
  WAYPOST_URL, WAYPOST_TOKEN   like --url and --token; other users cannot see a token in the environment
  WAYPOST_CONFIG               like --config; "waypost check-config" lists the variables of all settings
`;

/** Its scripts list all commands, so it needs them loaded. */
const COMPLETION = 'completion';

type AddCommands = (program: Command, context: CommandContext) => void;

/** Loaders of the commands, in the order of the help. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, () => Promise<AddCommands>>>>> = {
  'Domains and records:': {
    domain: async () => (await import('./domain/domain.ts')).addDomainCommands,
    record: async () => (await import('./domain/record.ts')).addRecordCommands,
    zone: async () => (await import('./zone/zone.ts')).addZoneCommands,
    steering: async () => (await import('./domain/steering.ts')).addSteeringCommands,
    dnssec: async () => (await import('./domain/dnssec.ts')).addDnssecCommands,
  },
  'Migration:': {
    import: async () => (await import('./import/import.ts')).addImportCommand,
    compare: async () => (await import('./compare/compare.ts')).addCompareCommand,
  },
  'Proxy:': {
    proxy: async () => (await import('./site/proxy.ts')).addProxyCommands,
    origins: async () => (await import('./site/origins.ts')).addOriginsCommands,
    rules: async () => (await import('./site/rules.ts')).addRulesCommands,
    'error-pages': async () => (await import('./site/error-pages.ts')).addErrorPagesCommands,
    logs: async () => (await import('./site/logs.ts')).addLogsCommands,
    protection: async () => (await import('./site/protection.ts')).addProtectionCommands,
  },
  'Packages:': { pkg: async () => (await import('./pkg/pkg.ts')).addPkgCommands },
  'Webhooks:': { webhook: async () => (await import('./site/webhook.ts')).addWebhookCommands },
  'Accounts and tokens:': {
    account: async () => (await import('./people/account.ts')).addAccountCommands,
    token: async () => (await import('./people/token.ts')).addTokenCommands,
    tsig: async () => (await import('./domain/tsig.ts')).addTsigCommands,
  },
  'History:': {
    audit: async () => (await import('./people/audit.ts')).addAuditCommand,
    change: async () => (await import('./domain/change.ts')).addChangeCommand,
    history: async () => (await import('./domain/history.ts')).addHistoryCommands,
    statistics: async () => (await import('./domain/statistics.ts')).addStatisticsCommand,
  },
  'Backups:': {
    backup: async () => (await import('./backup/backup.ts')).addBackupCommands,
    deliveries: async () => (await import('./node/deliveries.ts')).addDeliveriesCommands,
  },
  'Cluster:': { cluster: async () => (await import('./cluster/cluster.ts')).addClusterCommands },
  'Kubernetes:': {
    'external-dns-webhook': async () => (await import('./external-dns/external-dns.ts')).addExternalDnsCommand,
  },
  'Daemon:': {
    serve: async () => (await import('./node/serve.ts')).addServeCommand,
    reload: async () => (await import('./node/reload.ts')).addReloadCommand,
    status: async () => (await import('./node/status.ts')).addStatusCommand,
    'check-config': async () => (await import('./node/check-config.ts')).addConfigCommands,
    doctor: async () => (await import('./node/doctor.ts')).addDoctorCommand,
    'support-bundle': async () => (await import('./node/support-bundle.ts')).addSupportBundleCommand,
    'downgrade-check': async () => (await import('./node/downgrade-check.ts')).addDowngradeCommand,
    answers: async () => (await import('./node/answers.ts')).addAnswersCommands,
  },
  'Shell:': { [COMPLETION]: async () => (await import('./node/completion.ts')).addCompletionCommand },
};

/** Other words for a command. A word that is the name of a command next to it keeps its meaning. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ['list', ['ls']],
  ['rm', ['remove', 'delete']],
  ['remove', ['rm', 'delete']],
  ['revoke', ['rm', 'remove', 'delete']],
  ['add', ['create', 'new']],
  ['create', ['add', 'new']],
  ['show', ['get', 'info']],
  ['get', ['show']],
  ['domain', ['domains']],
  ['record', ['records']],
  ['zone', ['zones']],
  ['token', ['tokens']],
  ['account', ['accounts']],
  ['webhook', ['webhooks']],
  ['backup', ['backups']],
  ['statistics', ['stats']],
]);

function addAliases(group: Command): void {
  const names = new Set(group.commands.map((command) => command.name()));
  for (const command of group.commands) {
    command.aliases((ALIASES.get(command.name()) ?? []).filter((word) => !names.has(word)));
    addAliases(command);
  }
}

/** Shows a group as its name, because its commands have the options. Omits "[options]". */
const subcommandTerm = (command: Command): string =>
  command.commands.length > 0
    ? command.name()
    : withoutAlias(command, Help.prototype.subcommandTerm(command)).replace(' [options]', '');

const commandUsage = (command: Command): string => withoutAlias(command, Help.prototype.commandUsage(command));

/** Names the aliases below the description instead. */
const commandDescription = (command: Command): string => {
  const aliases = command.aliases();
  return `${command.description()}${aliases.length === 0 ? '' : `\n\nAliases: ${aliases.join(', ')}`}`;
};

/** Commander writes "name|alias". */
const withoutAlias = (command: Command, text: string): string =>
  text.replace(`${command.name()}|${command.alias()}`, command.name());

/** Runs one command. Returns the exit code: 0 success, 1 failure, 2 invalid arguments. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  let code = 0;
  const program = new Command('waypost');
  // Inherited by the commands that are added later.
  program
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .configureHelp({ showGlobalOptions: true, subcommandTerm, commandUsage, commandDescription })
    .showHelpAfterError('(use --help for more information)');
  program
    .description('Authoritative nameserver and reverse proxy with a REST API, and its command line')
    .version(argv.some(isVersion) ? await describeInstallation(io.build) : describeBuild(io.build))
    .option('--url <url>', 'the URL of the daemon, such as http://127.0.0.1:8300')
    .option('--token <token>', 'API token')
    .option('--config <file>', 'configuration file (TOML)')
    .option('--json', 'print results and errors as JSON, one object per line')
    .addHelpText('after', EXAMPLES);
  const context: CommandContext = {
    io,
    action:
      (work) =>
      async (...all) => {
        const command = all[all.length - 1] as Command;
        const outcome = await work(command.optsWithGlobals(), command.args);
        if (typeof outcome === 'number') code = outcome;
        else if (outcome === false) code = FAILED;
      },
  };
  await addCommands(program, context, argv[0]);
  addAliases(program);
  program.commandsGroup('Help:').helpCommand(true);
  ignoreClosedPipe(io);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    // Commander has already printed a message. --help and --version also throw this error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
    reportError(io, error, program.opts<GlobalOptions>().json);
    return FAILED;
  }
}

const isVersion = (argument: string | undefined): boolean => argument === '--version' || argument === '-V';

/** Includes the transport of the API, which depends on the version of Node. */
async function describeInstallation(build: BuildInfo): Promise<string> {
  const { describeTransport } = await import('./doctor/transport.ts');
  const { node, openssl } = process.versions;
  return `${describeBuild(build)}\nNode ${node}, OpenSSL ${openssl}, API: ${await describeTransport()}`;
}

/**
 * Loads only the requested command, which is faster, and no command for the version. Loads all
 * commands if options precede the command, for the help, for completion, and to suggest corrections
 * of typos.
 */
async function addCommands(program: Command, context: CommandContext, name: string | undefined): Promise<void> {
  if (isVersion(name)) return;
  const isNamed = (command: string): boolean =>
    name !== undefined && (command === name || ALIASES.get(command)?.includes(name) === true);
  const names = Object.values(GROUPS).flatMap((commands) => Object.keys(commands));
  const isCommand = name !== COMPLETION && names.some(isNamed);
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading);
    for (const [command, load] of Object.entries(commands))
      if (!isCommand || isNamed(command)) (await load())(program, context);
  }
}

/** `waypost zone list | head` closes standard output early, which is not an error. */
function ignoreClosedPipe({ stdout }: CliIo): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
