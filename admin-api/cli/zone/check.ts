/** `waypost zone check`: checks zone files locally, without a daemon. */
import { type Command, Option } from 'commander';
import { InvalidError } from '../../../core/base/errors.ts';
import { escapeControls } from '../../../core/base/log/index.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import { type ReadInput, readZone } from '../../zones/records/zonefile/prepare.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { type CliIo, print } from '../base/io.ts';
import { findCheckers, type Verdict } from './compare.ts';
import { type ZoneFile, zoneFiles } from './files.ts';
import { openZone } from './source.ts';
import { warningText } from './warnings.ts';

interface Problem {
  readonly file: string;
  /** 0 if the error is not in a line. */
  readonly line: number;
  readonly message: string;
  /** Set for warnings, and for errors that are warnings without --strict. */
  readonly code?: string;
}

interface Checked {
  readonly records: number;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

type Rules = Pick<ReadInput, 'keepApex' | 'strict' | 'skipsFaults'>;

export function addZoneCheck(zone: Command, { io, action }: CommandContext): void {
  zone
    .command('check')
    .description('check zone files without a daemon; print every line that an import would leave out or warn about')
    .argument('<path>', 'a file, or a folder with a NAME.zone for each zone')
    .option('--zone <name>', 'the zone of a file that is not named NAME.zone')
    .addOption(
      new Option('--apex <whose>', 'as for import; with "keep", the file must have an SOA record')
        .choices(['keep', 'service'])
        .default('keep'),
    )
    .option('--strict', 'treat warnings as errors')
    .option('--compare', 'also print what kzonecheck, nsd-checkzone and named-checkzone report, if they are installed')
    .addHelpText(
      'after',
      `
Files that the zone includes with a relative path ($INCLUDE) are read as well.

Examples:
  $ waypost zone check example.net.zone
  $ waypost zone check zones/
  $ waypost zone check example.net.zone --compare
`,
    )
    .action(
      action<{ zone?: string; apex: 'keep' | 'service'; strict?: boolean; compare?: boolean }>(
        async (options, [path]) => {
          const { files } = await zoneFiles(path, options.zone);
          const checkers = options.compare === true ? findCheckers() : [];
          if (options.compare === true && checkers.length === 0)
            throw new CliError('no_checker', 'None of kzonecheck, nsd-checkzone and named-checkzone is installed.', {
              next: 'Install Knot DNS, NSD or BIND, or run the command without --compare.',
            });
          const loaded = new Map(checkers.map(({ program }) => [program, 0]));
          let zones = 0;
          let records = 0;
          let bad = 0;
          let doubtful = 0;
          for await (const file of files) {
            const checked = await checkZoneFile(file, {
              keepApex: options.apex === 'keep',
              strict: options.strict === true,
              skipsFaults: false,
            });
            zones++;
            records += checked.records;
            bad += checked.problems.length;
            doubtful += checked.warnings.length;
            for (const problem of checked.problems) {
              if (options.json) print(io.stdout, JSON.stringify(problem));
              else print(io.stderr, escapeControls(`${problem.file}:${problem.line}: ${problem.message}`));
            }
            for (const warning of checked.warnings) {
              if (options.json) print(io.stdout, JSON.stringify({ ...warning, severity: 'warning' }));
              else print(io.stderr, warningText(warning));
            }
            for (const checker of checkers) {
              const verdict = await checker.check(file);
              if (verdict.loads) loaded.set(verdict.program, (loaded.get(verdict.program) ?? 0) + 1);
              if (options.json) print(io.stdout, JSON.stringify({ file: file.file, ...verdict }));
              else printVerdict(io, file.file, verdict);
            }
          }
          if (options.json)
            print(io.stdout, JSON.stringify({ ok: bad === 0, zones, records, bad_lines: bad, warnings: doubtful }));
          else
            print(
              io.stdout,
              `checked ${zones} zones, ${records} records: ${bad === 0 ? 'no bad lines' : `${bad} bad lines`}${doubtful === 0 ? '' : `, ${doubtful} warnings`}`,
            );
          if (!options.json)
            for (const [program, count] of loaded) print(io.stdout, `${program} accepts ${count} of ${zones} zones`);
          return bad === 0;
        },
      ),
    );
}

function printVerdict(io: CliIo, file: string, { program, loads, lines }: Verdict): void {
  print(io.stderr, escapeControls(`${file}: ${program} ${loads ? 'accepts' : 'rejects'} the zone`));
  for (const line of lines) print(io.stderr, escapeControls(`  ${line}`));
}

/** Reads a file as the API does, without a daemon. */
export async function checkZoneFile(zoneFile: ZoneFile, rules: Rules): Promise<Checked> {
  const { file, zone } = zoneFile;
  try {
    const unread: Problem[] = [];
    const { bytes, locate } = await openZone(zoneFile, { unread });
    const isSkipped = rules.skipsFaults === true && rules.strict !== true;
    const { owners, errors, warnings } = readZone({ bytes: bytes!, apex: parseName(zone), ...rules });
    return {
      records: owners.recordCount,
      problems: [...(isSkipped ? [] : unread), ...errors.map((error) => ({ ...error, ...locate(error.line) }))],
      warnings: [...(isSkipped ? unread : []), ...warnings.map((warning) => ({ ...warning, ...locate(warning.line) }))],
    };
  } catch (error) {
    const system = error instanceof Error && 'syscall' in error;
    if (!system && !(error instanceof InvalidError) && !(error instanceof CliError)) throw error;
    return { records: 0, problems: [{ file, line: 0, message: error.message }], warnings: [] };
  }
}
