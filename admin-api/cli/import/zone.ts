/** Imports one zone of a source, or previews the import. */
import { existsSync } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { Semaphore } from '../../../core/base/semaphore.ts';
import type { ApiBody } from '../../routes/routes.ts';
import { examineMaster, type Finding, finding, type Primary, type SourceZone } from '../../zones/migration/index.ts';
import type { ApiClient } from '../base/client.ts';
import { type Domain, findDomain } from '../base/domains.ts';
import { ApiError, CliError } from '../base/errors.ts';
import { rows } from '../base/pages.ts';
import { type ChangedRecord, recordPages, sendBatch } from '../domain/records.ts';
import type { ZoneFile } from '../zone/files.ts';
import {
  type Comparison,
  checkNewZone,
  checkPlan,
  previewZone,
  replaceZone,
  type Uploaded,
  type UploadOptions,
  uploadZone,
} from '../zone/upload.ts';
import type { LineWarning } from '../zone/warnings.ts';
import type { DiskFiles } from './files.ts';
import { zoneFileOf } from './source.ts';

/** Types whose names are proxied. */
const WEB_TYPES = new Set(['A', 'AAAA', 'CNAME', 'ALIAS']);

/** Maximum characters of a comment. */
const MAX_COMMENT = 1000;
/** Maximum number of changes in one batch of the API. */
const MAX_BATCH = 10_000;

/**
 * `differs`: the domain has other records, which are replaced only with --replace. `skipped`: a
 * decision is needed.
 */
export type Action = 'created' | 'replaced' | 'unchanged' | 'differs' | 'skipped' | 'failed';

export interface ZoneResult {
  readonly zone: string;
  readonly kind: 'primary' | 'secondary';
  readonly action: Action;
  /** The file or the address of the content. */
  readonly from: string;
  readonly records: number;
  /** Changes to an existing domain. */
  readonly changes?: Comparison;
  readonly findings: readonly Finding[];
  readonly warnings: readonly LineWarning[];
  readonly warningsOmitted: number;
  readonly error?: unknown;
}

export type SecondaryMode = 'keep' | 'convert' | 'skip';

interface ImportPlan extends UploadOptions {
  readonly dryRun: boolean;
  readonly secondaries: SecondaryMode;
  /** Zones of which the source has more than can be imported, and which fail for it. */
  readonly incomplete: ReadonlySet<string>;
}

/** Maximum concurrent previews, the daemon's limit per account. */
const PREVIEWS = 4;
const DNS_PORT = 53;
/** RFC 9103 section 7. */
const TLS_PORT = 853;
/** Larger files are streamed; only their start is examined for findings. */
const MAX_READ = 64 << 20;

export class ZoneImporter {
  readonly #previews = new Semaphore(PREVIEWS);

  private constructor(
    private readonly api: ApiClient,
    private readonly files: DiskFiles,
    private readonly plan: ImportPlan,
    private readonly domains: ReadonlyMap<string, Domain>,
    /** Ids of the TSIG keys by name. */
    private readonly keys: ReadonlyMap<string, number>,
  ) {}

  /** Reads the domains and the TSIG keys of the account. Throws ApiError and CliError. */
  static async create(api: ApiClient, files: DiskFiles, plan: ImportPlan): Promise<ZoneImporter> {
    const ofAccount = { query: { account: api.account } };
    const domains = new Map<string, Domain>();
    for await (const domain of rows(api, '/api/v1/domains', 'domains', ofAccount)) domains.set(domain.domain, domain);
    const keys = new Map<string, number>();
    if (plan.secondaries === 'keep')
      for await (const { id, name } of rows(api, '/api/v1/tsig-keys', 'tsig_keys', ofAccount))
        keys.set(name.toLowerCase(), id);
    return new ZoneImporter(api, files, plan, domains, keys);
  }

  /** Throws ApiError `plan_limit` if the plan has no room for all domains that would be created. */
  async checkPlan(zones: readonly SourceZone[]): Promise<void> {
    const { incomplete, secondaries } = this.plan;
    const isNew = ({ name, role, content, primaries }: SourceZone): boolean => {
      if (this.domains.has(name) || incomplete.has(name)) return false;
      const isKept = role === 'secondary' && secondaries !== 'convert';
      return isKept ? secondaries === 'keep' && primaries.length > 0 : content.kind !== 'none';
    };
    await checkPlan(this.api, zones.filter(isNew).length);
  }

  /** Never throws: the error is a part of the result. */
  async import(zone: SourceZone): Promise<ZoneResult> {
    const zoneFile = zoneFileOf(zone, this.files);
    const findings: Finding[] = [];
    const base = {
      zone: zone.name,
      kind: zone.role,
      from: zoneFile?.file ?? '-',
      records: 0,
      findings,
      warnings: [],
      warningsOmitted: 0,
    };
    try {
      if (zone.role === 'secondary' && this.plan.secondaries !== 'convert')
        return { ...base, ...(await this.#secondary(zone, findings)) };
      // The source has already added a finding.
      if (zoneFile === undefined) return { ...base, action: 'skipped' };
      return { ...base, kind: 'primary', ...(await this.#primary(zone, zoneFile, findings)) };
    } catch (error) {
      return { ...base, action: 'failed', error };
    }
  }

  async #primary(
    zone: SourceZone,
    opened: ZoneFile,
    findings: Finding[],
  ): Promise<Partial<ZoneResult> & { action: Action }> {
    const zoneFile = await examine(zone, opened, findings);
    const isIncomplete = this.plan.incomplete.has(zone.name);
    if (isIncomplete || findings.some(({ severity }) => severity === 'error')) return { action: 'failed' };
    const { dryRun, replace } = this.plan;
    const existing = this.domains.get(zone.name);
    if (existing !== undefined && isSecondary(existing)) {
      findings.push(
        otherKind(zone.name, 'The domain is a secondary zone here, so its records come from its primaries.'),
      );
      return { action: 'differs' };
    }
    if (existing === undefined) return this.#create(zone, zoneFile, findings);
    const { created, changed, deleted, unchanged, ...preview } = await this.#previews.run(() =>
      previewZone(this.api, existing, zoneFile, this.plan),
    );
    const changes = { created, changed, deleted, unchanged };
    const isEqual = created + changed + deleted === 0;
    // An interrupted import can leave a domain without records.
    const mayReplace = replace || existing.record_count === 0;
    if (!isEqual && !mayReplace) return { action: 'differs', changes, ...result(zoneFile, preview) };
    if (!isEqual && !dryRun) await replaceZone(this.api, existing, zoneFile, this.plan);
    const marked = await applyMarks(this.api, existing, zone, { dryRun: dryRun || !mayReplace });
    const isChanged = !isEqual || marked > 0;
    const action = !isChanged ? 'unchanged' : isEqual && !mayReplace ? 'differs' : 'replaced';
    return { action, changes: { ...changes, changed: changed + marked }, ...result(zoneFile, preview) };
  }

  async #create(
    zone: SourceZone,
    zoneFile: ZoneFile,
    findings: Finding[],
  ): Promise<Partial<ZoneResult> & { action: Action }> {
    try {
      if (this.plan.dryRun) {
        const preview = await this.#previews.run(() => previewZone(this.api, undefined, zoneFile, this.plan));
        return { action: 'created', ...result(zoneFile, preview) };
      }
      const uploaded = await uploadZone(this.api, zoneFile, { ...this.plan, replace: false });
      if (hasMarks(zone)) {
        const domain = await findDomain(this.api, zone.name);
        if (domain !== undefined) await applyMarks(this.api, domain, zone, { dryRun: false });
      }
      return { action: 'created', ...result(zoneFile, uploaded) };
    } catch (error) {
      if (!isTaken(error)) throw error;
      findings.push(taken(zone.name));
      return { action: 'failed' };
    }
  }

  /** Imports a secondary zone with the same primaries. */
  async #secondary(zone: SourceZone, findings: Finding[]): Promise<Partial<ZoneResult> & { action: Action }> {
    const { name, primaries, at } = zone;
    const decide = (code: string, message: string, next: string): { action: Action } => {
      findings.push({ severity: 'decision', code, zone: name, at, message, next });
      return { action: 'skipped' };
    };
    const convert = 'Pass --secondaries convert to import the content of its file as a primary zone.';
    if (this.plan.secondaries === 'skip')
      return decide('secondary_zone', 'The zone is a secondary of another server. It is not imported.', convert);
    if (primaries.length === 0)
      return decide('no_primaries', 'The primaries of the zone are not in the configuration.', convert);
    const missing = primaries.flatMap(({ key }) => (key === undefined || this.keys.has(key) ? [] : [key]));
    const existing = this.domains.get(name);
    const wanted = primaries.map((primary) => this.#primaryRow(primary));
    if (existing !== undefined) {
      if (!isSecondary(existing)) {
        findings.push(otherKind(name, 'The domain is a primary zone here, but a secondary one in the source.'));
        return { action: 'differs' };
      }
      const before = (existing.primaries ?? []).map(primaryText).sort();
      if (JSON.stringify(before) === JSON.stringify(wanted.map(primaryText).sort()))
        return { action: 'unchanged', from: 'primaries' };
      findings.push(otherKind(name, 'The secondary zone has other primaries here.'));
      return { action: 'differs' };
    }
    if (missing.length > 0)
      return decide(
        'secondary_key',
        `Its primaries need the TSIG key "${missing[0]}", which this account does not have.`,
        `Create it with "waypost tsig add ${missing[0]} --scope dns:read", give its secret to the primaries, and run the import again.`,
      );
    const from = primaries.map(({ address }) => address).join(' ');
    try {
      if (this.plan.dryRun) {
        await checkNewZone(this.api, name);
        return { action: 'created', from };
      }
      await this.api.POST('/api/v1/domains', {
        params: { query: { account: this.api.account } },
        body: { domain: name, kind: 'secondary', primaries: wanted },
      });
    } catch (error) {
      if (!isTaken(error)) throw error;
      findings.push(taken(name));
      return { action: 'failed' };
    }
    return { action: 'created', from };
  }

  /** A primary in the format of the API. Old configurations name no verifiable certificates. */
  #primaryRow({ address, port, key, tls }: Primary): PrimaryRow {
    const isStandard = port === undefined || port === (tls === true ? TLS_PORT : DNS_PORT);
    const host = address.includes(':') ? `[${address}]` : address;
    return {
      address: isStandard ? address : `${host}:${port}`,
      ...(key !== undefined && { tsig_key_id: this.keys.get(key) }),
      ...(tls === true && { tls: { opportunistic: true } }),
    };
  }
}

type PrimaryRow = NonNullable<ApiBody<'createDomain'>['primaries']>[number];

const isSecondary = ({ kind }: Domain): boolean => kind === 'secondary';

const primaryText = ({ address, tsig_key_id: key, tls }: PrimaryRow): string =>
  `${address} ${key ?? ''} ${tls != null}`;

const isTaken = (error: unknown): boolean => error instanceof ApiError && error.code === 'zone_exists';

const taken = (zone: string): Finding => ({
  severity: 'decision',
  code: 'owned_by_another',
  zone,
  message: 'Another account has the zone, or a zone above or below it.',
  next: 'Ask an administrator to remove it there, or import with a token of that account.',
});

const otherKind = (zone: string, message: string): Finding => ({
  severity: 'decision',
  code: 'other_kind',
  zone,
  message,
  next: `Remove the domain with "waypost domain rm ${zone}", and run the import again; or keep it.`,
});

const result = ({ file }: ZoneFile, { records, warnings, warningsOmitted }: Uploaded) => ({
  records,
  warnings: warnings.map((warning) => ({ file, ...warning })),
  warningsOmitted,
});

/** Adds the findings of the content. Keeps the content in memory if it is small enough. */
async function examine(zone: SourceZone, zoneFile: ZoneFile, findings: Finding[]): Promise<ZoneFile> {
  const { file } = zoneFile;
  if (zone.content.kind === 'file' && existsSync(`${file}.jnl`)) findings.push(finding.dynamic(zone.name, zone.at));
  if (zoneFile.bytes !== undefined) return zoneFile;
  try {
    const { size } = await stat(file);
    const bytes = size > MAX_READ ? await readStart(file) : await readFile(file);
    findings.push(...examineMaster(zone.name, file, bytes));
    return size > MAX_READ ? zoneFile : { ...zoneFile, bytes };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError('unreadable', `The file cannot be read: ${reason}`, {
      next: 'Pass --root FOLDER if the files are a copy of another machine, or write the zone to the file first.',
    });
  }
}

async function readStart(file: string): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1 << 20), 0, 1 << 20, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

const hasMarks = ({ proxied, comments }: SourceZone): boolean => (proxied?.size ?? 0) + (comments?.size ?? 0) > 0;

/**
 * Marks the names that the old provider proxied, and sets the comments of records.
 *
 * Returns the number of records that are changed, or would be. Throws ApiError.
 */
async function applyMarks(
  api: ApiClient,
  domain: Domain,
  zone: SourceZone,
  { dryRun }: { readonly dryRun: boolean },
): Promise<number> {
  if (!hasMarks(zone)) return 0;
  const comments = new Map(zone.comments);
  const changed: ChangedRecord[] = [];
  for await (const page of recordPages(api, domain))
    for (const { id, name, type, content, ttl, proxied: before, comment: text } of page) {
      const key = name.toLowerCase();
      const wanted = WEB_TYPES.has(type) ? zone.proxied?.get(key) : undefined;
      // Once for each RRset.
      const comment = comments.get(`${key} ${type}`)?.slice(0, MAX_COMMENT);
      comments.delete(`${key} ${type}`);
      const proxied = wanted === before ? undefined : wanted;
      const isNew = comment !== undefined && comment !== text;
      if (proxied !== undefined || isNew)
        changed.push({ id, name, type, content, ttl, proxied, ...(isNew && { comment }) });
    }
  if (!dryRun)
    for (let i = 0; i < changed.length; i += MAX_BATCH)
      await sendBatch(api, domain, { put: changed.slice(i, i + MAX_BATCH) });
  return changed.length;
}
