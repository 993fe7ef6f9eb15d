/** For each rule a package that triggers it and one that is close and must not. */
import type { RuleCode } from '../../../../../admin-api/miniapp/audit/rules.ts';
import type { Sdk } from '../../../../../admin-api/miniapp/sdk/trust.ts';

/** Files of a package by their paths; or an archive as it stands, for what no folder can hold. */
export type CorpusContent = Readonly<Record<string, string | Uint8Array>> | Uint8Array;

export interface CorpusCase {
  readonly code: RuleCode;
  /** Has a finding of that code, and maybe others. */
  readonly triggers: CorpusContent;
  /** Has none of that code. */
  readonly nearMiss: CorpusContent;
  /** Those issued, where not the one of the small app. */
  readonly sdks?: readonly Sdk[];
}
