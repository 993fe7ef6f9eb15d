/** Converts apps and uploads from rows to responses. */

import type { Static } from '@sinclair/typebox';
import { TIME_KEY, timeKey } from '../../../core/store/keys.ts';
import { appOf, reportOf, uploadOf, uploadsOf } from '../../../core/store/package-reads.ts';
import type { Reader } from '../../../core/store/reader.ts';
import type { App, Upload } from '../../../core/store/rows.ts';
import type { StoreReader } from '../../../core/store/store-reader.ts';
import type { Caller } from '../../http/caller.ts';
import { invalidCursor, type ListPart, type Page } from '../../http/lists.ts';
import type { Context } from '../../http/route.ts';
import { formatTime } from '../../http/time.ts';
import type { Finding } from '../audit/finding.ts';
import { countsText, findingLines, visible } from '../audit/report/text.ts';
import { RULES, ruleUrl, uploadUrl } from './paths.ts';
import { POLICY_REFERENCE } from './policy.ts';
import { unpackFindings } from './report.ts';
import type { uploadResponse } from './schema.ts';

/** An upload in lists, without findings. */
export function viewUploadBrief(row: Upload) {
  return {
    id: row.id,
    app_id: row.appId,
    version: row.version,
    version_code: row.versionCode,
    status: row.state,
    url: uploadUrl(row.id),
    summary: row.summary,
    created_at: formatTime(row.createdAt),
    updated_at: formatTime(row.updatedAt),
  };
}

/** An upload in the queue of reviewers. */
export function viewQueued(reader: StoreReader, row: Upload) {
  return {
    ...viewUploadBrief(row),
    app_name: appOf(reader, row.appId)?.name ?? null,
    account_id: row.accountId,
    username: reader.account(row.accountId)?.username ?? null,
    notes: row.notes,
  };
}

/** An upload with all fields and findings. */
export function viewUpload(row: Upload, findings: readonly Finding[]) {
  const { summary, ...brief } = viewUploadBrief(row);
  return {
    ...brief,
    account_id: row.accountId,
    sha256: row.sha256,
    size: row.size,
    notes: row.notes,
    audit: { summary, findings: findings.map((finding) => ({ ...finding, url: ruleUrl(finding.code) })) },
    history: row.history.map(({ state, at, ...step }) => ({ status: state, at: formatTime(at), ...step })),
  };
}

/** Reads the findings of the audit, and returns the upload with them. */
export async function viewReport(reader: Reader, row: Upload) {
  const packed = reportOf(reader, row.id);
  return viewUpload(row, packed === undefined ? [] : await unpackFindings(packed));
}

/** The response: JSON, or text if the request asks for it. */
export function report(
  { header, headers }: Pick<Context<Caller>, 'header' | 'headers'>,
  upload: Awaited<ReturnType<typeof viewReport>>,
) {
  headers.Vary = 'Accept';
  if (!/^\s*text\/plain\b/i.test(header('accept') ?? '')) return { upload };
  headers['Content-Type'] = 'text/plain; charset=utf-8';
  return { raw: uploadText(upload) };
}

export function viewApp(reader: Reader, app: App) {
  // An app has at least one package: both are stored, and deleted, in the same change.
  const [latest] = uploadsOf(reader, app.id, null, 1);
  const published = app.current.published === null ? undefined : uploadOf(reader, app.current.published);
  return {
    app_id: app.id,
    name: app.name,
    audit_status: latest.state,
    summary: latest.summary,
    latest: viewUploadBrief(latest),
    published: published === undefined ? null : { ...viewUploadBrief(published), policy: POLICY_REFERENCE },
    suspended: app.suspended,
    created_at: formatTime(app.createdAt),
    updated_at: formatTime(app.updatedAt),
  };
}

type UploadView = Static<typeof uploadResponse>['upload'];

/** Formats a package and its findings as text for people. */
function uploadText(upload: UploadView): string {
  const { app_id, version, version_code, status, id, size, sha256, notes, audit, history } = upload;
  const findings = findingLines(audit.findings);
  const lines = [
    `${app_id} ${version} (${version_code}): ${status.replace('_', ' ')}`,
    `upload ${id}, ${size} bytes, SHA-256 ${sha256}`,
    ...(notes === null ? [] : notes.split(/\r\n|\r|\n/).map((line) => `> ${visible(line)}`)),
    audit.summary === null ? 'no verdict yet' : countsText(audit.summary),
    '',
    ...findings,
    ...(findings.length > 0 ? ['', `Each code is explained at ${RULES} of this service.`, ''] : []),
    ...history.map(
      ({ at, status: state, by, reason, codes }) =>
        `${at}  ${state.replace('_', ' ')}${by === null ? '' : ` by ${by}`}${reason === null ? '' : `: ${visible(reason)}`}${codes.length > 0 ? ` (${codes.join(', ')})` : ''}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Lists of uploads, which are sorted by time.
 *
 * `read`: the uploads after a time key. Throws HttpError 400.
 */
export function partOfUploads(
  { limit, after }: Page,
  read: (after: Buffer | null, limit: number) => Upload[],
): ListPart<Upload> {
  if (after !== null && after.length !== TIME_KEY) throw invalidCursor();
  const found = read(after, limit + 1);
  const rows = found.slice(0, limit);
  return { rows, last: found.length > limit ? timeKey(rows[rows.length - 1]) : null };
}
