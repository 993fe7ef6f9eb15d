/** Uploads a zone file: creates its zone with all records, or replaces those of the zone. */
import { createReadStream } from 'node:fs';
import { pipeline, type Readable, Transform } from 'node:stream';
import { WaypostError } from '../../../core/base/errors.ts';
import type { ApiResponse } from '../../routes/routes.ts';
import type { ApiClient } from '../base/client.ts';
import { type Domain, findDomain } from '../base/domains.ts';
import { ApiError, CliError, type ErrorDetail } from '../base/errors.ts';
import { checkZoneFile } from './check.ts';
import type { ZoneFile } from './files.ts';
import { openZone, type ZoneSource } from './source.ts';
import type { LineWarning } from './warnings.ts';

export interface UploadOptions {
  /** Whether the records of an existing zone may be replaced. */
  readonly replace: boolean;
  /** Whether to use the SOA timers and apex NS of the file. */
  readonly keepApex: boolean;
  /** Whether warnings are errors. Otherwise bad lines are left out with a warning. */
  readonly strict: boolean;
  /** Called with the size of each chunk of a large file when it is passed to the network. */
  onSent?(bytes: number): void;
}

const ZONEFILE = '/api/v1/domains/{domain_id}/zonefile';

type DomainId = Pick<Domain, 'id'>;

/** Smaller files are read at once, which is cheaper than a stream. Larger files are streamed. */
const STREAMED_FROM = 256 * 1024;

export interface Uploaded {
  readonly records: number;
  /** The daemon limits the number of warnings. `file` is set for a line of an included file. */
  readonly warnings: readonly (Omit<LineWarning, 'file'> & { readonly file?: string })[];
  /** Number of further warnings. */
  readonly warningsOmitted: number;
}

/** Throws ApiError (`invalid_zonefile` has a detail for each bad line) or CliError. */
export async function uploadZone(client: ApiClient, zoneFile: ZoneFile, options: UploadOptions): Promise<Uploaded> {
  const existing = options.replace ? await findTaken(client, zoneFile.zone) : undefined;
  return existing === undefined
    ? createZone(client, zoneFile, options)
    : replaceZone(client, existing, zoneFile, options);
}

/** Creates the domain with its records in one commit. */
function createZone(client: ApiClient, zoneFile: ZoneFile, options: UploadOptions): Promise<Uploaded> {
  const query = { domain: zoneFile.zone, account: client.account, ...queryOf(options) };
  return send(zoneFile, options, (source) => client.POST('/api/v1/domains/zonefile', { params: { query }, ...source }));
}

/** Replaces the records of a domain. Throws the errors of `uploadZone`. */
export function replaceZone(
  client: ApiClient,
  { id: domain_id }: DomainId,
  zoneFile: ZoneFile,
  options: UploadOptions,
): Promise<Uploaded> {
  return send(zoneFile, options, (source) =>
    client.PUT(ZONEFILE, { params: { path: { domain_id }, query: queryOf(options) }, ...source }),
  );
}

async function send(
  zoneFile: ZoneFile,
  options: UploadOptions,
  request: (source: Omit<Source, 'locate' | 'unread'>) => Promise<ApiResponse<'importZone'>>,
): Promise<Uploaded> {
  const { locate, unread, ...source } = await openSource(zoneFile, options);
  try {
    const uploaded = uploadedOf(await request(source));
    return { ...uploaded, warnings: [...unread, ...relocate(zoneFile, locate, uploaded.warnings)] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message, pointer, details, requestId } = error;
    throw new ApiError(status, { code, message, pointer, details: relocate(zoneFile, locate, details), requestId });
  }
}

/** What an import would change, by number of records. */
export interface Comparison {
  readonly created: number;
  /** Records that get another TTL. */
  readonly changed: number;
  readonly deleted: number;
  readonly unchanged: number;
}

/**
 * Compares the file with the zone, and changes nothing. A missing zone has no records. Throws the
 * errors of `uploadZone`.
 */
export async function compareZone(
  client: ApiClient,
  zoneFile: ZoneFile,
  options: UploadOptions,
): Promise<Uploaded & Comparison> {
  const domain = await findDomain(client, zoneFile.zone);
  if (domain !== undefined && !options.replace)
    throw new ApiError(409, { code: 'zone_exists', message: `The zone ${zoneFile.zone} exists already.`, details: [] });
  return previewZone(client, domain, zoneFile, options);
}

/** Compares a file with a domain (undefined: a missing one). Throws the errors of `uploadZone`. */
export async function previewZone(
  client: ApiClient,
  domain: DomainId | undefined,
  zoneFile: ZoneFile,
  options: UploadOptions,
): Promise<Uploaded & Comparison> {
  if (domain === undefined) {
    await checkNewZone(client, zoneFile.zone);
    const { keepApex, strict } = options;
    const { records, problems, warnings } = await checkZoneFile(zoneFile, { keepApex, strict, skipsFaults: !strict });
    if (problems.length > 0) throw invalidFile(problems);
    return { records, warnings, warningsOmitted: 0, created: records, changed: 0, deleted: 0, unchanged: 0 };
  }
  const { locate, unread, ...source } = await openSource(zoneFile, options);
  const answer = await client.PUT(ZONEFILE, {
    params: { path: { domain_id: domain.id }, query: { ...queryOf(options), dry_run: 'true' } },
    ...source,
  });
  if (answer.preview === undefined)
    throw new CliError('not_the_api', 'The response of the daemon has no preview; it may be an older version.');
  const { created, changed, deleted, unchanged, errors } = answer.preview;
  if (errors.length > 0) throw invalidFile(relocate(zoneFile, locate, errors));
  const uploaded = uploadedOf(answer);
  return {
    ...uploaded,
    warnings: [...unread, ...relocate(zoneFile, locate, uploaded.warnings)],
    created: created.count,
    changed: changed.count,
    deleted: deleted.count,
    unchanged,
  };
}

const invalidFile = (details: readonly ErrorDetail[]): ApiError =>
  new ApiError(422, { code: 'invalid_zonefile', message: 'The file has errors.', details });

const queryOf = ({ keepApex, strict }: UploadOptions) =>
  ({
    apex: keepApex ? 'keep' : undefined,
    strict: strict ? 'true' : undefined,
    bad_lines: strict ? undefined : 'skip',
  }) as const;

interface Source {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: () => Readable | Uint8Array;
  /** Finds the file and line of a line that was sent. */
  readonly locate: ZoneSource['locate'];
  /** Included files that are left out. */
  readonly unread: readonly LineWarning[];
}

async function openSource(zoneFile: ZoneFile, { strict, onSent = () => {} }: UploadOptions): Promise<Source> {
  try {
    const unread: LineWarning[] = [];
    const options = { streamedFrom: STREAMED_FROM, ...(!strict && { unread }) };
    const { bytes, size, locate } = await openZone(zoneFile, options);
    const headers = { 'content-type': 'text/dns', 'content-length': String(size) };
    if (bytes !== null) return { headers, body: () => bytes, locate, unread };
    const range = { end: size - 1, highWaterMark: STREAMED_FROM };
    return { headers, body: () => countBytes(createReadStream(zoneFile.file, range), onSent), locate, unread };
  } catch (error) {
    if (error instanceof WaypostError) throw error;
    throw new CliError('unreadable', `The file cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** Adds the included file to entries for its lines. */
function relocate<T extends { readonly line?: number }>(
  { file }: ZoneFile,
  locate: ZoneSource['locate'],
  entries: readonly T[],
): T[] {
  return entries.map((entry) => {
    if (entry.line === undefined) return entry;
    const at = locate(entry.line);
    return at.file === file ? { ...entry, line: at.line } : { ...entry, ...at };
  });
}

function countBytes(stream: Readable, sent: (bytes: number) => void): Readable {
  const counter = new Transform({
    highWaterMark: STREAMED_FROM,
    transform(chunk: Buffer, _encoding, done) {
      sent(chunk.length);
      done(null, chunk);
    },
  });
  // The pipeline passes errors to the counter, and so to the request that reads it.
  return pipeline(stream, counter, () => {});
}

/** Throws the ApiError that the creation of the domain would throw. */
export async function checkNewZone(client: ApiClient, zone: string): Promise<void> {
  await client.GET('/api/v1/domains/check', { params: { query: { account: client.account, domain: zone } } });
}

/** Throws ApiError `plan_limit` if the plan has no room for a number of new domains. */
export async function checkPlan(client: ApiClient, count: number): Promise<void> {
  if (count === 0) return;
  try {
    await client.GET('/api/v1/domains/check', { params: { query: { account: client.account, count } } });
  } catch (error) {
    // The creation of the domains reports other errors.
    if (!(error instanceof ApiError) || error.code === 'plan_limit') throw error;
  }
}

/** The domain of the account that prevents the creation of a zone; undefined: none does. */
async function findTaken(client: ApiClient, zone: string): Promise<Domain | undefined> {
  try {
    await checkNewZone(client, zone);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'zone_exists') throw error;
    // The same error means that another account has the zone, or its parent or child.
    const domain = await findDomain(client, zone);
    if (domain === undefined) throw error;
    return domain;
  }
}

const uploadedOf = ({ records, warnings = [], warnings_omitted = 0 }: ApiResponse<'importZone'>): Uploaded => ({
  records,
  warnings,
  warningsOmitted: warnings_omitted,
});
