/** `waypost compare`: queries two nameservers for every name and type of the zones. */
import type { Command } from 'commander';
import { nameId, parseName } from '../../../core/dns/wire/name.ts';
import type { Finding } from '../../zones/migration/index.ts';
import { readZone } from '../../zones/records/zonefile/prepare.ts';
import { ACCOUNT, actFor } from '../base/accounts.ts';
import { type ApiClient, withClient } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { exportZone, zoneName } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';
import type { CliIo, GlobalOptions } from '../base/io.ts';
import { mapConcurrently } from '../base/map-concurrently.ts';
import { wholeNumber } from '../base/numbers.ts';
import { rows } from '../base/pages.ts';
import { startProgress } from '../base/progress.ts';
import { addSourceOptions, openSource, type SourceArguments, zoneFileOf } from '../import/source.ts';
import { openZone } from '../zone/source.ts';
import { isAlike, printComparison } from './report.ts';
import { DnsServer, unreachable } from './server.ts';
import { type ComparedRecord, type ComparedZone, namesOf, ZoneComparer, type ZoneComparison } from './zones.ts';

interface CompareOptions extends SourceArguments, GlobalOptions {
  readonly old: string;
  readonly new: string;
  readonly ttl?: boolean;
  readonly strict?: boolean;
  readonly concurrency: number;
}

const DEFAULT_NEW = '127.0.0.1:5300';
/** Maximum number of zones whose questions are prepared concurrently. */
const ZONES = 8;

export function addCompareCommand(program: Command, { io, action }: CommandContext): void {
  const command = program
    .command('compare')
    .description('compare the answers of two nameservers')
    .argument('[source]', 'the source of the import (default: the domains of the account)')
    .requiredOption('--old <address>', 'the old nameserver, with an optional port: 192.0.2.1:53')
    .option('--new <address>', 'the new nameserver', DEFAULT_NEW);
  addSourceOptions(command)
    .option('--ttl', 'compare TTLs, too')
    .option('--strict', 'count expected differences, too')
    .option('--concurrency <n>', 'the number of questions in flight, 1 to 1000', wholeNumber(1, 1000), 64)
    .addOption(ACCOUNT)
    .addHelpText(
      'after',
      `
Asks both servers for every name and type of each zone, for a type that a name does not have, and for names that do not exist:
one of each zone, and one below each wildcard, delegation and DNAME. Compares the RCODE, AA, the answers as sets, and
delegations. Names come from the source or the API, and from a transfer (AXFR) of each server that allows it.

Some differences are expected: SOA, NS of the apex, DNSSEC, addresses of ALIAS records and proxied names, and CNAMEs into other
zones. They are counted apart. The exit code is 1 if there are other differences, or with --strict any.

Examples:
  $ waypost compare --old 192.0.2.1
  $ waypost compare /etc/bind/named.conf --old 127.0.0.1:53 --new 127.0.0.1:5300
  $ waypost compare --old 192.0.2.1 --new 198.51.100.1 --zones example.com example.net --ttl
`,
    )
    .action(
      action<CompareOptions>(async (options, [path]) => {
        const started = performance.now();
        const [before, after] = [await DnsServer.open(options.old), await DnsServer.open(options.new)];
        try {
          const compare = async (zones: readonly ComparedZone[], findings: readonly Finding[]): Promise<boolean> => {
            const { ttl = false, strict = false, concurrency } = options;
            const names = zones.map(({ name }) => name);
            const comparer = new ZoneComparer({ before, after, ttl, strict, concurrency, zones: names });
            await probe(names, comparer, before, after);
            const compared = await compareAll(io, zones, comparer);
            const report = {
              before: options.old,
              after: options.new,
              zones: compared,
              findings,
              strict,
              seconds: Math.round(performance.now() - started) / 1000,
            };
            printComparison(io, report, options.json === true);
            return isAlike(report);
          };
          if (path !== undefined || options.powerdns !== undefined) {
            const { zones, findings } = await zonesOfSource(io, path, options);
            return await compare(zones, findings);
          }
          return await withClient(io, options, async (connected) =>
            compare(await zonesOfAccount(await actFor(connected, options), options.zones), []),
          );
        } finally {
          before.close();
          after.close();
        }
      }),
    );
}

async function zonesOfSource(
  io: CliIo,
  path: string | undefined,
  options: CompareOptions,
): Promise<{ zones: ComparedZone[]; findings: Finding[] }> {
  const source = await openSource(io, path, options);
  const zones = source.zones.map((zone): ComparedZone => {
    const proxied = [...(zone.proxied ?? [])].filter(([, isProxied]) => isProxied).map(([name]) => name);
    const names = proxied.length === 0 ? undefined : namesOf(parseName(zone.name), proxied);
    return {
      name: zone.name,
      isProxied: names === undefined ? undefined : (name) => names.has(nameId(name)),
      async read() {
        const zoneFile = zoneFileOf(zone, source.files);
        if (zoneFile === undefined) return undefined;
        try {
          const { bytes } = await openZone(zoneFile);
          return recordsOf(bytes!, zone.name);
        } catch (error) {
          // A secondary may have no file yet; its names come from a transfer.
          if (zone.role === 'secondary') return undefined;
          throw error;
        }
      },
    };
  });
  return { zones, findings: source.findings.filter(({ severity }) => severity === 'error') };
}

async function zonesOfAccount(api: ApiClient, wanted: readonly string[] | undefined): Promise<ComparedZone[]> {
  const names = wanted?.map(zoneName);
  const zones: ComparedZone[] = [];
  const query = { account: api.account };
  for await (const domain of rows(api, '/api/v1/domains', 'domains', { query })) {
    const name = domain.domain;
    if (names !== undefined && !names.includes(name)) continue;
    zones.push({
      name,
      isProxied: domain.proxy_enabled ? () => true : undefined,
      async read() {
        const body = await exportZone(api, domain);
        return recordsOf(Buffer.from(await body.arrayBuffer()), name);
      },
    });
  }
  const missing = names?.find((name) => !zones.some((zone) => zone.name === name));
  if (missing !== undefined)
    throw new CliError('no_such_domain', `This account has no domain "${missing}".`, {
      next: 'List the domains with "waypost domain list", or name the source of the import.',
    });
  if (zones.length > 0) return zones;
  throw new CliError('no_zones', 'This account has no domains.', { next: 'Import them first: waypost import --help' });
}

/** Omits lines with errors: their names cannot be queried. */
function recordsOf(bytes: Uint8Array, zone: string): ComparedRecord[] {
  const { owners } = readZone({ bytes, apex: parseName(zone), keepApex: true, strict: false });
  return [...owners].flatMap(({ name, sets }) => sets.map(({ type }) => ({ name, type })));
}

/** Throws CliError `unreachable_server`: without a response, every question would time out. */
async function probe([zone]: readonly string[], comparer: ZoneComparer, ...servers: DnsServer[]): Promise<void> {
  if (zone === undefined) return;
  const replies = await comparer.soa(zone);
  for (const [i, server] of servers.entries())
    if (replies[i] === undefined) throw unreachable(server.title, `no response to the SOA of ${zone}`);
}

async function compareAll(
  io: CliIo,
  zones: readonly ComparedZone[],
  comparer: ZoneComparer,
): Promise<ZoneComparison[]> {
  const progress = startProgress(io.stderr, zones.length, 'zones', 'questions');
  try {
    return await mapConcurrently(zones, ZONES, async (zone) => {
      const compared = await comparer.compare(zone);
      progress.add(1, compared.questions);
      return compared;
    });
  } finally {
    progress.stop();
  }
}
