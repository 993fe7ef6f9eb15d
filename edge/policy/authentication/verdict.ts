/** What a rule of authentication decides about a request. */
import type { Identity } from '../../../core/site/rules/index.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';
import type { ErrorPage } from '../../sites/error-page.ts';

/** The visitor has been let through. */
export interface Admission {
  readonly identity: Identity;
  /** Values of Set-Cookie for the visitor. */
  readonly cookies: readonly string[];
}

/** A response such as a redirect to a login page. */
export interface Answer {
  readonly status: number;
  readonly fields: FieldList;
  /** Omitted: empty. */
  readonly body?: string;
}

export type Verdict = Admission | Answer | { readonly page: ErrorPage };
