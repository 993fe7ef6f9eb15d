/** Opens the source of `waypost import` and `waypost compare`: its zones and findings. */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { type Command, Option } from 'commander';
import {
  type Content,
  type Finding,
  finding,
  oneOfEachName,
  SOURCE_KINDS,
  type Source,
  type SourceKind,
  type SourceZone,
} from '../../zones/migration/index.ts';
import { zoneName } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';
import type { CliIo } from '../base/io.ts';
import type { ZoneFile } from '../zone/files.ts';
import { DiskFiles, readSource } from './files.ts';
import { readPowerDns } from './powerdns.ts';

export interface SourceArguments {
  readonly from?: SourceKind;
  readonly zone?: string;
  readonly zones?: string[];
  readonly view?: string;
  readonly root?: string;
  readonly powerdns?: string;
  readonly powerdnsKeyFile?: string;
}

export function addSourceOptions(command: Command): Command {
  return command
    .addOption(new Option('--from <kind>', 'the kind of source (default: it is detected)').choices([...SOURCE_KINDS]))
    .option('--zone <name>', 'the zone of a single file that does not name it')
    .option('--zones <name...>', 'only these zones')
    .option('--view <name>', 'the view of a BIND configuration (default: for each zone the first that has it)')
    .option('--root <folder>', 'where absolute paths of the configuration start, for a copy of another machine')
    .option('--powerdns <url>', 'the API of a PowerDNS server, such as http://127.0.0.1:8081')
    .option('--powerdns-key-file <file>', 'a file with the API key of the PowerDNS server');
}

interface OpenedSource extends Source {
  /** For messages. */
  readonly title: string;
  readonly files: DiskFiles;
}

/** One zone of each name, sorted as in the source. Throws InvalidError and CliError. */
export async function openSource(io: CliIo, path: string | undefined, options: SourceArguments): Promise<OpenedSource> {
  const wanted = options.zones && [...new Set(options.zones.map(zoneName))];
  const isWanted = (name: string): boolean => wanted === undefined || wanted.includes(zoneName(name));
  const files = new DiskFiles(options.root);
  const source = await readAny(io, path, options, isWanted);
  const named = source.zones
    .map((zone) => ({ ...zone, name: zoneName(zone.name) }))
    .filter(({ name }) => isWanted(name));
  const { zones, findings } = oneOfEachName(named, options.view);
  const missing = (wanted ?? []).filter((name) => !zones.some((zone) => zone.name === name));
  return {
    ...source,
    title: options.powerdns ?? path ?? '',
    files,
    zones,
    findings: [
      ...source.findings.filter(({ zone }) => zone === undefined || isWanted(zone)),
      ...findings,
      ...source.keys.map(finding.key),
      ...missing.map(missingZone),
    ],
  };
}

const missingZone = (zone: string): Finding => ({
  severity: 'error',
  code: 'not_in_source',
  zone,
  message: 'The source does not have the zone, or it is of a type that is not imported.',
});

async function readAny(
  io: CliIo,
  path: string | undefined,
  options: SourceArguments,
  isWanted: (name: string) => boolean,
): Promise<Source> {
  const { powerdns, powerdnsKeyFile, from, zone, root } = options;
  if (powerdns !== undefined) return readPowerDns(io.stderr, { url: powerdns, keyFile: powerdnsKeyFile, isWanted });
  if (path !== undefined) return readSource(path, { from, zone, root });
  throw new CliError('usage', 'The source is missing.', {
    next: 'Name a configuration, a folder or an export, or pass --powerdns URL.',
  });
}

/** The zone file of a zone of the source. Undefined: it has no content. */
export function zoneFileOf(zone: SourceZone, files: DiskFiles): ZoneFile | undefined {
  const { content, name } = zone;
  if (content.kind === 'none') return undefined;
  if (content.kind === 'text') return { file: content.file, zone: name, bytes: Buffer.from(content.text) };
  return {
    file: pathOf(content, zone, files),
    zone: name,
    findIncluded: (path, from) => files.path(isAbsolute(path) ? path : join(content.base ?? dirname(from), path)),
  };
}

/** Resolves a relative path from the current folder, or from the folder of the configuration. */
function pathOf(content: Content & { kind: 'file' }, { at }: SourceZone, files: DiskFiles): string {
  const path = files.path(content.path);
  if (isAbsolute(path) || existsSync(path) || at === undefined) return path;
  const inFolder = join(dirname(at.file), path);
  return existsSync(inFolder) ? inFolder : path;
}
