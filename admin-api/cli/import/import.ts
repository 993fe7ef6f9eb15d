/** `waypost import`: zones of other nameservers and providers. */
import { type Command, Option } from 'commander';
import { type Finding, LOSSES, type SourceZone } from '../../zones/migration/index.ts';
import { ACCOUNT, actFor } from '../base/accounts.ts';
import { withClient } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { ApiError, isFatalForAll } from '../base/errors.ts';
import { mapConcurrently } from '../base/map-concurrently.ts';
import { wholeNumber } from '../base/numbers.ts';
import { NO_PROGRESS, type Progress, startProgress } from '../base/progress.ts';
import { describePhase, ImportWatch } from '../zone/import-watch.ts';
import { isComplete, printReport } from './report.ts';
import { addSourceOptions, openSource, type SourceArguments } from './source.ts';
import { type SecondaryMode, ZoneImporter, type ZoneResult } from './zone.ts';

interface ImportOptions extends SourceArguments {
  readonly replace?: boolean;
  readonly strict?: boolean;
  readonly dryRun?: boolean;
  readonly apex?: 'keep' | 'service';
  readonly secondaries: SecondaryMode;
  readonly concurrency: number;
  readonly account?: string;
}

/** Providers whose nameservers and SOA stop working with the contract. */
const PROVIDERS: ReadonlySet<string> = new Set(['cloudflare', 'route53', 'gcloud', 'octodns']);

export function addImportCommand(program: Command, { io, action }: CommandContext): void {
  const command = program
    .command('import')
    .description('import zones of other nameservers')
    .argument(
      '[source]',
      'named.conf, knot.conf, nsd.conf, a folder with one of them, a folder of zone files, or an export',
    );
  addSourceOptions(command)
    .option('--dry-run', 'write nothing, and print the report of an import')
    .option('--replace', 'replace the records of existing domains that differ')
    .addOption(
      new Option(
        '--apex <whose>',
        'the SOA timers and apex NS: those of the source (keep) or of the service (default: service for exports of providers)',
      ).choices(['keep', 'service']),
    )
    .addOption(
      new Option(
        '--secondaries <how>',
        'secondary zones: stay secondaries of the same primaries (keep), become primary with the content of their files (convert), or are left out (skip)',
      )
        .choices(['keep', 'convert', 'skip'])
        .default('keep'),
    )
    .option('--strict', 'treat warnings as errors: a zone with warnings fails')
    .option('--concurrency <n>', 'the number of concurrent zones, 1 to 64', wholeNumber(1, 64), 16)
    .addOption(ACCOUNT)
    .addHelpText(
      'after',
      `
Creates missing domains and uploads their zones. What is not understood is a line of the report, and is left out. A zone that
fails does not stop the others. Run the command again at any time: domains with the same records are left as they are, and those that
differ are replaced only with --replace. The report lists what needs a decision: signed zones, views, keys, and more. The
exit code is 1 if a zone failed or differs.

Examples:
  $ waypost import /etc/bind/named.conf --dry-run
  $ waypost import /etc/knot/knot.conf
  $ waypost import backup/etc/nsd/nsd.conf --root backup
  $ waypost import zones/ --replace
  $ waypost import --powerdns http://127.0.0.1:8081 --powerdns-key-file key.txt
  $ waypost import example.com.txt                 the export of Cloudflare
  $ waypost import example.com.yaml                record sets of gcloud, or a zone of octoDNS
  $ aws route53 list-resource-record-sets --hosted-zone-id Z1 > example.com.json && waypost import example.com.json

After it, compare the answers of both servers: waypost compare --old ADDRESS
`,
    )
    .action(
      action<ImportOptions>(async (options, [path]) => {
        const source = await openSource(io, path, options);
        const apex = options.apex ?? (PROVIDERS.has(source.kind) ? 'service' : 'keep');
        return withClient(
          io,
          options,
          async (connected) => {
            const started = performance.now();
            const dryRun = options.dryRun === true;
            const strict = options.strict === true;
            const findings = strict ? source.findings.map(lossAsError) : source.findings;
            const client = await actFor(connected, options);
            const importer = await ZoneImporter.create(client, source.files, {
              replace: options.replace === true,
              keepApex: apex === 'keep',
              strict,
              dryRun,
              secondaries: options.secondaries,
              incomplete: new Set(strict ? findings.filter(isLoss).flatMap(({ zone }) => zone ?? []) : []),
            });
            const exceeded = await planFinding(importer, source.zones, dryRun);
            const progress =
              options.json === true ? NO_PROGRESS : startProgress(io.stderr, source.zones.length, 'zones');
            const watch = new ImportWatch(client, (running) =>
              progress.show(running === null ? '' : `${running.domain}: ${describePhase(running)}`),
            );
            const { results, fatal } = await importAll(source.zones, options.concurrency, progress, (zone) =>
              watch.follow(zone.name, () => importer.import(zone)),
            );
            const report = {
              kind: source.kind,
              title: source.title,
              dryRun,
              zones: results,
              findings: [...findings, ...exceeded],
              seconds: Math.round(performance.now() - started) / 1000,
              next: dryRun
                ? 'Run the command without --dry-run.'
                : `waypost compare ${path ?? ''} --old ADDRESS`.replace('  ', ' '),
            };
            await printReport(io, report, options.json === true);
            if (fatal !== undefined) throw fatal;
            return isComplete(report);
          },
          options.concurrency + 1,
        );
      }),
    );
}

const isLoss = ({ code }: Finding): boolean => LOSSES.has(code);

const lossAsError = (entry: Finding): Finding => (isLoss(entry) ? { ...entry, severity: 'error' } : entry);

/**
 * A finding if the zones are more than the plan of the account allows, in a dry run. Throws
 * ApiError `plan_limit` otherwise, before anything is created.
 */
async function planFinding(
  importer: ZoneImporter,
  zones: readonly SourceZone[],
  isDryRun: boolean,
): Promise<readonly Finding[]> {
  try {
    await importer.checkPlan(zones);
    return [];
  } catch (error) {
    if (!isDryRun || !(error instanceof ApiError) || error.code !== 'plan_limit') throw error;
    return [{ severity: 'error', code: error.code, message: error.message, next: 'Import some zones with --zones.' }];
  }
}

/** Results in the order of the source. Stops after an error that would affect all other zones. */
async function importAll(
  zones: readonly SourceZone[],
  concurrency: number,
  progress: Progress,
  run: (zone: SourceZone) => Promise<ZoneResult>,
): Promise<{ readonly results: ZoneResult[]; readonly fatal: unknown }> {
  let fatal: unknown;
  try {
    const results = await mapConcurrently(zones, concurrency, async (zone) => {
      if (fatal !== undefined) return undefined;
      const result = await run(zone);
      if (result.error !== undefined && isFatalForAll(result.error)) fatal ??= result.error;
      progress.add(1, result.records);
      return result;
    });
    return { results: results.filter((result) => result !== undefined), fatal };
  } finally {
    progress.stop();
  }
}
