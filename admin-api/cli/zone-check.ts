/** `waypost zone check`: checks zone files locally, without a daemon. */
import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { InvalidError } from '../../core/base/errors.ts';
import { escapeControls } from '../../core/base/log/index.ts';
import { parseName } from '../../core/wire/name.ts';
import { readZone } from '../records/zonefile/prepare.ts';
import type { CommandContext } from './command.ts';
import { print } from './io.ts';
import { type ZoneFile, zoneFiles } from './zone-files.ts';
import { warningText } from './zone-warnings.ts';

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

export function addZoneCheck(zone: Command, { io, action }: CommandContext): void {
  zone
    .command('check')
    .description('check zone files without a daemon; print every line that an import would reject or warn about')
    .argument('<path>', 'a file, or a folder with a NAME.zone for each zone')
    .option('--zone <name>', 'the zone of a file that is not named NAME.zone')
    .addOption(
      new Option('--apex <whose>', 'as for import; with "keep", the file must have an SOA record')
        .choices(['keep', 'service'])
        .default('keep'),
    )
    .option('--strict', 'treat warnings as errors')
    .addHelpText('after', '\nExamples:\n  $ waypost zone check example.net.zone\n  $ waypost zone check zones/\n')
    .action(
      action<{ zone?: string; apex: 'keep' | 'service'; strict?: boolean }>(async (options, [path]) => {
        const { files } = await zoneFiles(path, options.zone);
        let zones = 0;
        let records = 0;
        let bad = 0;
        let doubtful = 0;
        for await (const file of files) {
          const checked = await check(file, options.apex === 'keep', options.strict === true);
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
        }
        if (options.json)
          print(io.stdout, JSON.stringify({ ok: bad === 0, zones, records, bad_lines: bad, warnings: doubtful }));
        else
          print(
            io.stdout,
            `checked ${zones} zones, ${records} records: ${bad === 0 ? 'no bad lines' : `${bad} bad lines`}${doubtful === 0 ? '' : `, ${doubtful} warnings`}`,
          );
        return bad === 0;
      }),
    );
}

async function check({ file, zone }: ZoneFile, keepApex: boolean, strict: boolean): Promise<Checked> {
  try {
    const input = { bytes: await readFile(file), apex: parseName(zone), keepApex, strict };
    const { owners, errors, warnings } = readZone(input);
    return {
      records: owners.recordCount,
      problems: errors.map((error) => ({ file, ...error })),
      warnings: warnings.map((warning) => ({ file, ...warning })),
    };
  } catch (error) {
    const system = error instanceof Error && 'syscall' in error;
    if (!system && !(error instanceof InvalidError)) throw error;
    return { records: 0, problems: [{ file, line: 0, message: error.message }], warnings: [] };
  }
}
