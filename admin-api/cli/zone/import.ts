/** `waypost zone import`: uploads zone files concurrently. */
import { type Command, Option } from 'commander';
import { escapeControls } from '../../../core/base/log/index.ts';
import { actFor } from '../base/accounts.ts';
import { type ApiClient, withClient } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { ApiError, describeError, isFatalForAll } from '../base/errors.ts';
import { type CliIo, print } from '../base/io.ts';
import { wholeNumber } from '../base/numbers.ts';
import { rows } from '../base/pages.ts';
import { NO_PROGRESS, type Progress, perSecond, startProgress } from '../base/progress.ts';
import { type ZoneFile, type ZoneFiles, zoneFiles } from './files.ts';
import { describePhase, ImportWatch } from './import-watch.ts';
import { type Comparison, checkPlan, compareZone, type Uploaded, uploadZone } from './upload.ts';
import { failureFields, type LineWarning, printBadLines, warningText } from './warnings.ts';

interface ImportOptions {
  readonly zone?: string;
  readonly replace?: boolean;
  readonly strict?: boolean;
  readonly dryRun?: boolean;
  readonly apex: 'keep' | 'service';
  readonly concurrency: number;
  readonly json?: boolean;
  readonly account?: string;
}

interface Failure extends ZoneFile {
  readonly error: unknown;
}

interface Summary {
  zones: number;
  records: number;
  milliseconds: number;
  readonly failures: Failure[];
  readonly warnings: LineWarning[];
  /** Number of warnings that the daemon counted but did not list. */
  warningsOmitted: number;
  /** With --dry-run: what the import would change. */
  compared: Comparison | undefined;
  /** The error that stopped the import early. */
  fatal?: unknown;
}

export function addZoneImport(zone: Command, { io, action }: CommandContext): void {
  zone
    .command('import')
    .description('create zones from zone files: one file, or every NAME.zone of a folder')
    .argument('<path>', 'file or folder')
    .option('--zone <name>', 'the zone of a file that is not named NAME.zone')
    .option('--replace', 'replace the records of existing zones; without it, such zones fail')
    .addOption(
      new Option('--apex <whose>', 'the SOA timers and apex NS: those of the file (keep) or of the service')
        .choices(['keep', 'service'])
        .default('keep'),
    )
    .option('--strict', 'treat warnings as errors: a zone with warnings fails')
    .option('--dry-run', 'change nothing, and print what would change')
    .option('--concurrency <n>', 'the number of concurrent uploads, 1 to 64', wholeNumber(1, 64), 16)
    .addHelpText(
      'after',
      `
A zone that fails does not stop the others, and the exit code is 1 then. Questionable lines are imported and printed as
warnings. Lines that are not understood are left out with a warning. With --strict, a zone with warnings fails unchanged.
Files that a zone includes with a relative path ($INCLUDE) are inserted before the upload.

Examples:
  $ waypost zone import example.net.zone
  $ waypost zone import db.example --zone example.net --replace
  $ waypost zone import db.example --zone example.net --replace --dry-run
  $ waypost zone import zones/ --concurrency 32
`,
    )
    .action(
      action<ImportOptions>((options, [path]) =>
        withClient(
          io,
          options,
          async (connected) => {
            const client = await actFor(connected, options);
            const found = await zoneFiles(path, options.zone);
            const upload = {
              replace: options.replace === true,
              keepApex: options.apex === 'keep',
              strict: options.strict === true,
            };
            const isDryRun = options.dryRun === true;
            if (found.count > 1) await checkRoom(client, found.count, path);
            const send = isDryRun ? compareZone : uploadZone;
            const progress = options.json === true ? NO_PROGRESS : progressOf(io, found);
            const watch = watchImports(client, progress, found.bytes !== undefined);
            const summary = await importAll(found, options.concurrency, isDryRun, progress, (file, sent) =>
              watch.follow(file.zone, () => send(client, file, { ...upload, onSent: sent })),
            );
            report(io, summary, options.json === true);
            if (summary.fatal !== undefined) throw summary.fatal;
            return summary.failures.length === 0;
          },
          options.concurrency + 1,
        ),
      ),
    );
}

/** The progress of a folder is counted in files, that of a single file in bytes. */
const progressOf = ({ stderr }: CliIo, { count, bytes }: ZoneFiles): Progress =>
  bytes === undefined ? startProgress(stderr, count, 'zones') : startProgress(stderr, bytes, 'bytes');

/** `isSingle`: the bar shows the one import, once the daemon has the whole file. */
const watchImports = (client: ApiClient, progress: Progress, isSingle: boolean): ImportWatch =>
  new ImportWatch(client, (running) => {
    if (running === null) progress.show('');
    else if (isSingle) progress.show(describePhase(running), running.percent);
    else progress.show(`${running.domain}: ${describePhase(running)}`);
  });

/**
 * Throws ApiError `plan_limit` if the plan has no room for the zones of a folder that are missing.
 * The domains are only counted if it has none for all of them.
 */
async function checkRoom(client: ApiClient, total: number, path: string): Promise<void> {
  try {
    await checkPlan(client, total);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'plan_limit') throw error;
    const present = new Set<string>();
    const ofAccount = { query: { account: client.account } };
    for await (const { domain } of rows(client, '/api/v1/domains', 'domains', ofAccount)) present.add(domain);
    let missing = 0;
    for await (const { zone } of (await zoneFiles(path)).files) if (!present.has(zone)) missing++;
    await checkPlan(client, missing);
  }
}

/** Uploads files with `concurrency` workers, until none is left or an error would fail all. */
async function importAll(
  { bytes, files }: ZoneFiles,
  concurrency: number,
  isDryRun: boolean,
  progress: Progress,
  upload: (file: ZoneFile, sent?: (bytes: number) => void) => Promise<Uploaded & Partial<Comparison>>,
): Promise<Summary> {
  const summary: Summary = {
    zones: 0,
    records: 0,
    milliseconds: 0,
    failures: [],
    warnings: [],
    warningsOmitted: 0,
    compared: isDryRun ? NO_CHANGES : undefined,
  };
  const started = performance.now();
  const sent = bytes === undefined ? undefined : (piece: number) => progress.add(piece, 0);
  // An async generator queues concurrent calls of next(), so that no file is taken twice.
  const next = files[Symbol.asyncIterator]();
  const work = async () => {
    for (let turn = await next.next(); !turn.done; turn = await next.next()) {
      if (summary.fatal !== undefined) return;
      let records = 0;
      try {
        const uploaded = await upload(turn.value, sent);
        records = uploaded.records;
        for (const warning of uploaded.warnings) summary.warnings.push({ file: turn.value.file, ...warning });
        summary.warningsOmitted += uploaded.warningsOmitted;
        if (summary.compared !== undefined) summary.compared = addTo(summary.compared, uploaded);
        summary.zones++;
        summary.records += records;
      } catch (error) {
        if (isFatalForAll(error)) summary.fatal ??= error;
        else summary.failures.push({ ...turn.value, error });
      }
      progress.add(bytes === undefined ? 1 : 0, records);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    progress.stop();
    // Closes the folder after an early stop.
    await next.return?.(undefined);
  }
  summary.milliseconds = performance.now() - started;
  return summary;
}

const addTo = (sum: Comparison, more: Partial<Comparison>): Comparison => ({
  created: sum.created + (more.created ?? 0),
  changed: sum.changed + (more.changed ?? 0),
  deleted: sum.deleted + (more.deleted ?? 0),
  unchanged: sum.unchanged + (more.unchanged ?? 0),
});

const NO_CHANGES: Comparison = { created: 0, changed: 0, deleted: 0, unchanged: 0 };

function report(io: CliIo, summary: Summary, json: boolean): void {
  const { zones, records, milliseconds, failures, warnings, warningsOmitted, compared, fatal } = summary;
  const seconds = Math.round(milliseconds) / 1000;
  const rate = perSecond(records, milliseconds);
  if (json) {
    const failed = failures.map(({ file, zone, error }) => ({ file, zone, ...failureFields(error) }));
    const warningFields =
      warnings.length === 0 ? {} : { warnings, ...(warningsOmitted > 0 && { warnings_omitted: warningsOmitted }) };
    const ok = failures.length === 0 && fatal === undefined;
    print(
      io.stdout,
      JSON.stringify({
        ok,
        zones,
        records,
        seconds,
        records_per_second: rate,
        failed,
        ...warningFields,
        ...(compared && { dry_run: compared }),
      }),
    );
    return;
  }
  for (const warning of warnings) print(io.stderr, warningText(warning));
  if (warningsOmitted > 0) print(io.stderr, `${warningsOmitted} more warnings`);
  for (const { file, error } of failures)
    if (!printBadLines(io.stderr, file, error)) print(io.stderr, `${escapeControls(file)}: ${describeError(error)}`);
  if (compared !== undefined) {
    const { created, changed, deleted, unchanged } = compared;
    print(io.stdout, `${zones} zones would have ${records} records; nothing was changed`);
    print(
      io.stdout,
      `records: ${created} new, ${changed} with another TTL, ${deleted} deleted, ${unchanged} unchanged`,
    );
    if (failures.length > 0) print(io.stdout, `${failures.length} zones would fail`);
    return;
  }
  print(io.stdout, `imported ${zones} zones, ${records} records in ${seconds} s, ${rate} records/s`);
  if (failures.length > 0) print(io.stdout, `${failures.length} zones failed and were not changed`);
  if (fatal !== undefined) print(io.stdout, 'stopped early; the zones counted above are imported');
}
