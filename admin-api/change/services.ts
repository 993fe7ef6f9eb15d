/** Dependencies that the services of the API share. */
import type { AliasStates } from '../../core/alias/index.ts';
import type { Logger } from '../../core/base/log/index.ts';
import type { Secrets } from '../../core/base/secrets.ts';
import type { Config } from '../../core/config/index.ts';
import type { Journal } from '../../core/journal/journal.ts';
import type { Environment } from '../../core/store/environment.ts';
import type { StoreReader } from '../../core/store/reader.ts';
import type { Name } from '../../core/wire/name.ts';
import type { ZoneSettings } from '../../core/zone/settings.ts';
import type { Turns } from './turns.ts';

/** Finds domains by a part of their name: see admin-api/domains/search.ts. */
export interface DomainFinder {
  find(accountId: string, wanted: string, after: Name | null, limit: number): Promise<FoundDomains>;
}

export interface FoundDomains {
  readonly names: readonly string[];
  /** Whether further names match. */
  readonly more: boolean;
}

export interface Services {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly reader: StoreReader;
  readonly config: Config;
  readonly zoneSettings: ZoneSettings;
  readonly log: Logger;
  readonly turns: Turns;
  readonly secrets: Secrets;
  readonly search: DomainFinder;
  readonly aliases: AliasStates;
}

/** An id is 16 hexadecimal digits. Any other text is handled like an unknown id. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}
