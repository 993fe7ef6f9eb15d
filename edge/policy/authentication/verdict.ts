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

/** A response without a body, such as a redirect to a login page. */
interface Redirect {
  readonly status: number;
  readonly fields: FieldList;
}

export type Verdict = Admission | Redirect | { readonly page: ErrorPage };
