/** `waypost doctor`: checks this machine and its node, and prints how to fix what is wrong. */
import { realpathSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { type CliIo, type GlobalOptions, print, safeJson } from '../base/io.ts';

interface DoctorOptions {
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly verbose?: boolean;
}

export function addDoctorCommand(program: Command, { io, action }: CommandContext): void {
  program
    .command('doctor')
    .option('--only <id...>', 'only these checks or groups, such as ports or disk.space')
    .option('--skip <id...>', 'not these checks or groups')
    .option('--verbose', 'also show the details of what is good')
    .description('check the node and its machine, and show what fixes it')
    .addHelpText(
      'after',
      `
Nothing is changed, whether the daemon runs, is stopped or was never started. Run it with sudo to check all. Only the daemon, the other nodes,
etcd and the resolvers of the settings are contacted. Without --config and WAYPOST_* variables, the settings of the systemd unit are used.
The exit code is 0 without findings or with notes, 1 with warnings, 2 with errors. docs/doctor.md explains each check.

Examples:
  $ sudo waypost doctor
  $ waypost doctor --only disk,kernel.somaxconn --verbose
  $ waypost doctor --skip delegation resolvers --json
`,
    )
    .action(
      action<DoctorOptions>(async (options) => {
        const doctor = await import('../doctor/index.ts');
        const [only, skip] = [options.only, options.skip].map(separated);
        const [unknown] = doctor.unknownIds([...only, ...skip]);
        if (unknown !== undefined)
          throw new CliError('no_such_check', `There is no check or group "${unknown}".`, {
            next: `The groups are ${[...new Set(doctor.CHECKS.map(({ id }) => doctor.groupOf(id)))].join(', ')}; docs/doctor.md lists the checks.`,
          });
        const context = new doctor.Context(doctorOptions(io, options));
        try {
          const findings = await doctor.runChecks(context, doctor.selectChecks({ only, skip }));
          const code = doctor.exitCode(findings);
          if (options.json)
            print(io.stdout, safeJson({ ok: code === 0, summary: doctor.summarise(findings), findings }));
          else {
            print(io.stdout, `${doctor.summarise(findings)} (settings: ${context.source})`);
            const isVerbose = options.verbose === true;
            for (const line of doctor.formatFindings(findings, { isVerbose, isRoot: context.isRoot }))
              print(io.stdout, line);
          }
          return code;
        } finally {
          await context.close();
        }
      }),
    );
}

/** Ids may be separated by blanks or commas. */
const separated = (ids: readonly string[] = []): string[] => ids.flatMap((id) => id.split(',')).filter(Boolean);

/** The program's root is above the folder of main.js, in the sources and in the bundle. */
export function doctorOptions(io: CliIo, { config, url, token }: GlobalOptions) {
  // The command may be a link to it.
  const main = realpathSync(process.argv[1] ?? fileURLToPath(import.meta.url));
  return {
    file: config,
    env: io.env,
    version: io.build.version,
    checkStart: io.checkStart,
    program: fileURLToPath(new URL('..', pathToFileURL(main))),
    url: url ?? (io.env.WAYPOST_URL || undefined),
    token: token ?? (io.env.WAYPOST_TOKEN || undefined),
  };
}
