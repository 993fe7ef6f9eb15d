/** What is written of an audit: each step one commit, valid on whatever node it is made, since all that it rests on is read in it again. */
import { type Draft, write } from '../../core/journal/draft/draft.ts';
import { appOf, uploadOf } from '../../core/store/package-reads.ts';
import { type AuditSummary, reports, type Upload, type UploadState, uploads } from '../../core/store/rows.ts';
import type { Services } from '../change/services.ts';
import { nowSeconds } from '../http/time.ts';
import type { Verdict } from './audit-task.ts';
import { isOutdated, move } from './states.ts';

/** Seconds for which a claim is good without a word of its node: a restart takes less. */
export const CLAIM = 120;
/** Audits of a package that may begin and not end, as by an end of the process, before a person has to look. */
export const MOST_BEGUN = 3;

const BY = 'audit';

export interface Conclusion {
  readonly verdict: Verdict;
  readonly summary: AuditSummary;
  readonly findings: Buffer;
}

export class AuditBook {
  readonly #services: Services;
  readonly #node: string;

  constructor(services: Services) {
    this.#services = services;
    this.#node = services.config.nodeName;
  }

  /** Whether it is this node's to audit. */
  isOwn({ claim }: Upload): boolean {
    return claim !== null && (claim.node === this.#node || claim.until <= nowSeconds());
  }

  /** Of an upload that this node takes, or goes on with. */
  newClaim(begun: number): NonNullable<Upload['claim']> {
    return { node: this.#node, until: nowSeconds() + CLAIM, begun };
  }

  /** Begins an audit. Null: there is none to make, or another node makes it. */
  begin(id: string): Promise<Upload | null> {
    return this.#change((draft) => {
      const upload = uploadOf(draft, id);
      if (upload === undefined || upload.claim === null || !this.isOwn(upload)) return null;
      if (!draft.hasAccount(upload.accountId)) return null;
      const claimed = { ...upload, claim: this.newClaim(upload.claim.begun + 1) };
      if (upload.state === 'pending') return move(draft, claimed, 'scanning');
      draft.put(uploads, claimed);
      return claimed;
    });
  }

  /** Says that this node still works on them, and that those which have not begun wait here. */
  extend(ids: readonly string[]): Promise<void> {
    return this.#change((draft) => {
      for (const id of ids) {
        const upload = uploadOf(draft, id);
        if (upload?.claim?.node === this.#node)
          draft.put(uploads, { ...upload, claim: this.newClaim(upload.claim.begun) });
      }
    });
  }

  /** What the audit came to. Null: it is another's by now, or nobody wants it any more. */
  conclude(id: string, { verdict, summary, findings }: Conclusion): Promise<UploadState | null> {
    const { review, publish } = this.#services.config.packages;
    return this.#change((draft) => {
      const upload = uploadOf(draft, id);
      if (upload?.state !== 'scanning' || upload.claim?.node !== this.#node) return null;
      const app = appOf(draft, upload.appId);
      const owner = draft.account(upload.accountId);
      // They have gone, and it goes, too.
      if (app === undefined || owner === undefined) return null;
      const judged = { ...upload, summary };
      draft.put(reports, { uploadId: id, findings });
      if (verdict === 'rejected') return move(draft, judged, 'rejected').state;
      if (isOutdated(app, upload))
        return move(draft, judged, 'superseded', { reason: 'A later version was approved in the meantime.' }).state;
      if (verdict === 'in_review' || review === 'always' || app.suspended !== null || !owner.apiEnabled)
        return move(draft, judged, 'in_review').state;
      const approved = move(draft, judged, 'approved');
      return publish === 'automatic' ? move(draft, approved, 'published').state : approved.state;
    });
  }

  async #change<T>(work: (draft: Draft) => T): Promise<T> {
    const { environment, journal } = this.#services;
    return (await write(environment, journal, BY, work)).result;
  }
}
