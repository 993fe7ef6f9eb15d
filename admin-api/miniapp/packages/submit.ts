/** Receives an uploaded package: stores the file, identifies the app, and queues the audit. */

import { StateError } from '../../../core/base/errors.ts';
import type { Id } from '../../../core/store/keys.ts';
import { appOf, uploadOf, uploadOfVersion } from '../../../core/store/package-reads.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { type Account, type App, apps, type Listing, type Upload, uploads } from '../../../core/store/rows.ts';
import { type ActingContext, accountOf, requireAccount } from '../../change/acting.ts';
import { change } from '../../change/change.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import { readForm } from '../../http/multipart.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import type { Received } from '../../http/route.ts';
import { nowSeconds } from '../../http/time.ts';
import { appToReplace, deleteReleased, isReleased } from './app-ids.ts';
import type { AuditPool } from './audit-pool.ts';
import type { FoundFault, Identified, PackageFacts } from './audit-task.ts';
import type { Auditor } from './auditor.ts';
import type { PackageBlobs } from './package-blobs.ts';
import { MAX_NOTES } from './schema.ts';
import { newStep } from './states.ts';
import { viewReport, viewUpload } from './view.ts';

export interface Intake {
  readonly services: Services;
  readonly blobs: PackageBlobs;
  readonly auditor: Auditor;
  /** Threads that identify packages. */
  readonly identities: AuditPool<Identified>;
  /** Rate limit on the uploads of each account. */
  readonly limit: RateLimit;
}

/** A stored package. */
interface StoredPackage {
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  readonly notes: string | null;
  readonly facts: PackageFacts;
  readonly listing: Listing | null;
}

/**
 * A package that was received completely, or the reason to refuse it: nothing of it is stored then.
 * Receiving has no visible effect, because a repeated request (Idempotency-Key) is received again
 * and then answered as before.
 */
type Submission = StoredPackage | { readonly refusal: Error };

/**
 * Limit of the whole form in bytes. A package of up to twice the permitted size is read to its end
 * and dropped: many clients read no response before they have sent the whole body.
 */
export const maxFormBytes = (maxBytes: number): number => 2 * maxBytes + 64 * 1024;
const NOTES_BYTES = 4 * MAX_NOTES;
/** Control characters, except tabs and line ends. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;
/** Milliseconds that a response waits for the verdict; most audits are faster. */
const VERDICT_MS = 5000;
/** Maximum errors in the response for an unreadable package. */
const MAX_FAULTS = 20;

/** Receives the form. Throws HttpError 400, 413, 422, 429 and 503. */
export async function receivePackage(
  { services, blobs, identities, limit }: Intake,
  { caller, query, headers, header, body }: ActingContext<AsyncIterable<Buffer>>,
): Promise<Received<Submission>> {
  const account = accountOf(services.reader, { caller, query });
  limit.take(caller.account.id, headers);
  const { maxBytes } = services.config.packages;
  const part = await blobs.store.part();
  try {
    const form = readForm(body, header('content-type') ?? '', {
      file: 'package',
      fields: ['notes'],
      fieldSize: NOTES_BYTES,
      async writePiece(piece) {
        if (part.size + piece.length > maxBytes) throw tooLarge(maxBytes);
        await part.write(piece, maxBytes);
      },
    });
    const { fields, hasFile, fileName } = await form.catch((error: unknown) => {
      // A form that is too large has a package that is too large, because its other parts are
      // small.
      if (error instanceof HttpError && error.code === 'body_too_large') throw tooLarge(maxBytes, error.close);
      throw error;
    });
    if (!hasFile)
      throw new HttpError(422, 'package_missing', 'The form has no part "package"; send the .pkg file in it.', {
        pointer: '/package',
      });
    if (!/\.pkg$/i.test(fileName ?? ''))
      throw new HttpError(422, 'package_name', 'The name of the uploaded file must end in .pkg.', {
        pointer: '/package',
      });
    const notes = readNotes(fields.get('notes'));
    const identity = Buffer.from(JSON.stringify([part.hash, notes]));
    const facts = readFacts(await identities.run({ path: part.path, maxBytes, sdks: [] }));
    if (facts instanceof HttpError) return { value: { refusal: facts }, identity };
    const refusal = refusalOf(() => requireApp(services, services.reader, account, facts));
    if (refusal !== undefined) return { value: { refusal }, identity };
    const { hash, size } = await part.keep();
    return { value: { sha256: hash, size, notes, facts, listing: await keepListing(blobs, facts) }, identity };
  } finally {
    await part.close();
  }
}

/** Stores the icon as a blob of its own, because the store serves it without the package. */
async function keepListing({ store }: PackageBlobs, { listing, icon }: PackageFacts): Promise<Listing | null> {
  if (listing === null) return null;
  if (icon === null) return { ...listing, icon: null };
  const part = await store.part();
  try {
    await part.write(icon.bytes, icon.bytes.length);
    return { ...listing, icon: { sha256: (await part.keep()).hash, type: icon.type } };
  } finally {
    await part.close();
  }
}

/** `close`: see HttpError. */
const tooLarge = (maxBytes: number, close = false): HttpError =>
  new HttpError(413, 'package_too_large', `The package is larger than ${maxBytes} bytes, which is the limit.`, {
    pointer: '/package',
    close,
  });

function readNotes(text: string | undefined): string | null {
  const notes = text?.trim() ?? '';
  if (notes.length > MAX_NOTES || CONTROL.test(notes))
    throw new HttpError(422, 'invalid_notes', `"notes" must be text of at most ${MAX_NOTES} characters.`, {
      pointer: '/notes',
    });
  return notes === '' ? null : notes;
}

/** Throws HttpError 403, 422, StateError. */
export async function submitPackage({ services, auditor }: Intake, context: ActingContext, submission: Submission) {
  if ('refusal' in submission) throw submission.refusal;
  const account = accountOf(services.reader, context);
  const { upload } = await change(services, context, (draft) => {
    requireAccount(draft, account);
    const { app, replaced } = requireApp(services, draft, account, submission.facts);
    for (const each of replaced) deleteReleased(draft, each);
    const row = newUpload(draft.newId(uploads), auditor, context.caller, app, submission);
    draft.put(apps, { ...app, name: submission.facts.name, updatedAt: row.createdAt });
    draft.put(uploads, row);
    return {
      action: 'package.upload',
      accountId: row.accountId,
      target: row.id,
      detail: { app_id: row.appId, version: row.version, version_code: row.versionCode, sha256: row.sha256 },
      createResponse: () => ({ upload: viewUpload(row, []) }),
    };
  });
  const { reader } = services;
  const row = uploadOf(reader, upload.id);
  if (row !== undefined && auditor.book.mayAudit(row)) {
    auditor.submit(row);
    await auditor.verdict(row.id, VERDICT_MS);
  }
  const current = uploadOf(reader, upload.id);
  return { upload: current === undefined ? upload : await viewReport(reader, current) };
}

/** Returns an error if the package must be rejected. Throws HttpError 503. */
function readFacts(outcome: Awaited<ReturnType<AuditPool<Identified>['run']>>): PackageFacts | HttpError {
  if (outcome.kind === 'stopped')
    throw new HttpError(503, 'stopping', 'The service is stopping; send the package again.');
  if (outcome.kind !== 'done') return unreadable([]);
  if (outcome.result.kind === 'unreadable') return unreadable(outcome.result.faults);
  return outcome.result.facts;
}

function refusalOf(check: () => void): Error | undefined {
  try {
    check();
    return;
  } catch (error) {
    if (error instanceof HttpError || error instanceof StateError) return error;
    throw error;
  }
}

const unreadable = (faults: readonly FoundFault[]): HttpError =>
  new HttpError(
    422,
    'unreadable_package',
    'The app and version of the package cannot be determined, because it is damaged or incomplete; check it with "waypost pkg lint".',
    {
      pointer: '/package',
      details: faults.slice(0, MAX_FAULTS).map(({ code, message, file, line, fix }) => ({
        message,
        code,
        ...(file !== null && { file }),
        ...(line !== null && { line }),
        fix,
      })),
    },
  );

interface OwnedApp {
  readonly app: App;
  /** Released apps that it replaces: with the same id, or to make room. */
  readonly replaced: readonly App[];
}

/** The existing or new app of the package. Throws HttpError 403 and StateError. */
function requireApp({ config }: Services, reader: Reader, account: Account, facts: PackageFacts): OwnedApp {
  const app = appOf(reader, facts.id);
  if (app === undefined || (app.accountId !== account.id && isReleased(reader, app))) {
    const replaced = [app, appToReplace(reader, account.id, config.packages.maxApps)];
    const now = nowSeconds();
    const created: App = {
      id: facts.id,
      accountId: account.id,
      name: facts.name,
      approvedCode: 0,
      current: { in_review: null, approved: null, published: null },
      suspended: null,
      createdAt: now,
      updatedAt: now,
    };
    return { app: created, replaced: replaced.filter((each) => each != null) };
  }
  if (app.accountId !== account.id)
    throw new HttpError(403, 'app_taken', 'This app belongs to another account; choose another "id" in manifest.json.');
  if (app.suspended !== null) throw new HttpError(403, 'app_suspended', `The app is suspended: ${app.suspended}`);
  if (uploadOfVersion(reader, app.id, facts.versionCode) !== undefined)
    throw new StateError(
      'version_exists',
      `A package with versionCode ${facts.versionCode} was already uploaded; increase "versionCode" in manifest.json.`,
    );
  if (facts.versionCode <= app.approvedCode)
    throw new StateError(
      'version_not_greater',
      `"versionCode" in manifest.json is ${facts.versionCode}, but version ${app.approvedCode} is already approved; use a greater one.`,
    );
  return { app, replaced: [] };
}

function newUpload(
  id: Id,
  { book }: Auditor,
  { account }: Caller,
  app: App,
  { facts: { version, versionCode }, sha256, size, notes, listing }: StoredPackage,
): Upload {
  const step = newStep('pending', { by: account.username });
  return {
    id,
    accountId: app.accountId,
    appId: app.id,
    version,
    versionCode,
    sha256,
    size,
    listing,
    notes,
    state: 'pending',
    history: [step],
    claim: book.newClaim(0),
    summary: null,
    createdAt: step.at,
    updatedAt: step.at,
  };
}
