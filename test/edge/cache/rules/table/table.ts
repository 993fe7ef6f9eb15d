/** All rows. */
import { CONDITIONS } from './conditions.ts';
import { DIRECTIVES } from './directives.ts';
import { FRESHNESS } from './freshness.ts';
import { INVALIDATION } from './invalidation.ts';
import { RANGES } from './ranges.ts';
import { REQUESTS } from './requests.ts';
import type { Row } from './row.ts';
import { STALE } from './stale.ts';
import { STORING } from './storing.ts';
import { TARGETED } from './targeted.ts';
import { UPDATING } from './updating.ts';
import { VALIDATION } from './validation.ts';
import { VARY } from './vary.ts';

export const TABLE: readonly Row[] = [
  ...STORING,
  ...DIRECTIVES,
  ...FRESHNESS,
  ...TARGETED,
  ...VARY,
  ...VALIDATION,
  ...UPDATING,
  ...CONDITIONS,
  ...RANGES,
  ...INVALIDATION,
  ...STALE,
  ...REQUESTS,
];
