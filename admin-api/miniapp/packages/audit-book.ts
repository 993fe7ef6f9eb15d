/**
 * Writes the steps of audits. Each step is one commit that reads its conditions again, so it is
 * valid on any node.
 */

import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import { appOf, uploadOf } from '../../../core/store/package-reads.ts';
import { type AuditSummary, reports, type Upload, type UploadState, uploads } from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';
import { nowSeconds } from '../../http/time.ts';
import type { Verdict } from './audit-task.ts';
import { isOutdated, move } from './states.ts';

/** Seconds after which a claim expires if its node does not extend it; a restart takes less. */
export const CLAIM = 120;
/** Audits of a package that may start without a result, as in a crash, before it needs a review. */
export const MAX_STARTS = 3;

const BY = 'audit';

export interface Conclusion {
  readonly verdict: Verdict;
  readonly summary: AuditSummary;
  readonly findings: Buffer;
}

export class AuditBook {
  readonly #node: string;

  constructor(private readonly services: Services) {
    this.#node = services.config.nodeName;
  }

  /** Whether this node may audit the upload: it has the claim, or the claim has expired. */
  mayAudit({ claim }: Upload): boolean {
    return claim !== null && (claim.node === this.#node || claim.until <= nowSeconds());
  }

  /** The claim of this node on an upload. */
  newClaim(begun: number): NonNullable<Upload['claim']> {
    return { node: this.#node, until: nowSeconds() + CLAIM, begun };
  }

  /** Starts an audit. Null: no audit is needed, or another node runs it. */
  begin(id: Id): Promise<Upload | null> {
    return this.#change((draft) => {
      const upload = uploadOf(draft, id);
      if (upload === undefined || upload.claim === null || !this.mayAudit(upload)) return null;
      if (!draft.hasAccount(upload.accountId)) return null;
      const claimed = { ...upload, claim: this.newClaim(upload.claim.begun + 1) };
      if (upload.state === 'pending') return move(draft, claimed, 'scanning');
      draft.put(uploads, claimed);
      return claimed;
    });
  }

  /** Extends the claims of this node on running and queued audits. */
  extend(ids: readonly Id[]): Promise<void> {
    return this.#change((draft) => {
      for (const id of ids) {
        const upload = uploadOf(draft, id);
        if (upload?.claim?.node === this.#node)
          draft.put(uploads, { ...upload, claim: this.newClaim(upload.claim.begun) });
      }
    });
  }

  /** Writes the result of an audit. Null: another node has the claim, or the upload is gone. */
  conclude(id: Id, { verdict, summary, findings }: Conclusion): Promise<UploadState | null> {
    const { review, publish } = this.services.config.packages;
    return this.#change((draft) => {
      const upload = uploadOf(draft, id);
      if (upload?.state !== 'scanning' || upload.claim?.node !== this.#node) return null;
      const app = appOf(draft, upload.appId);
      const owner = draft.account(upload.accountId);
      // The app or its account was deleted, so the sweeper deletes the upload too.
      if (app === undefined || owner === undefined) return null;
      const audited = { ...upload, summary };
      draft.put(reports, { uploadId: id, findings });
      if (verdict === 'rejected') return move(draft, audited, 'rejected').state;
      if (isOutdated(app, upload))
        return move(draft, audited, 'superseded', { reason: 'A later version was approved in the meantime.' }).state;
      if (verdict === 'in_review' || review === 'always' || app.suspended !== null || !owner.apiEnabled)
        return move(draft, audited, 'in_review').state;
      const approved = move(draft, audited, 'approved');
      return publish === 'automatic' ? move(draft, approved, 'published').state : approved.state;
    });
  }

  async #change<T>(work: (draft: Draft) => T): Promise<T> {
    const { environment, journal } = this.services;
    return (await write(environment, journal, BY, work)).result;
  }
}
