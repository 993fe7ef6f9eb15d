/** Dependencies that the services of the API share. */

import type { Logger } from '../../core/base/log/index.ts';
import type { Secrets } from '../../core/base/secrets.ts';
import type { Tasks } from '../../core/base/tasks.ts';
import type { Config } from '../../core/config/index.ts';
import type { Name } from '../../core/dns/wire/name.ts';
import type { Journal } from '../../core/journal/journal.ts';
import type { WriteTraces } from '../../core/observe/traces/write-traces.ts';
import type { Environment } from '../../core/store/environment.ts';
import type { Id } from '../../core/store/keys.ts';
import type { SecondaryRow } from '../../core/store/rows.ts';
import type { StoreReader } from '../../core/store/store-reader.ts';
import type { AliasStates } from '../../core/upkeep/alias/index.ts';
import type { CatalogState } from '../../core/upkeep/catalog/consumer.ts';
import type { DelegationLook } from '../../core/upkeep/delegation/look.ts';
import type { PresentRecords } from '../../core/upkeep/delegation/present.ts';
import type { DomainAdmission } from '../../core/upkeep/domains/admission.ts';
import type { PublicLook } from '../../core/upkeep/signing/store-zone.ts';
import type { ZoneSettings } from '../../core/zone/compile/settings.ts';
import type { AnswerHealth } from '../../core/zone/steering/checked-answers.ts';
import type { SteeringState } from '../../core/zone/steering/picker.ts';
import type { StreamSlots } from '../http/stream-slots.ts';
import type { ImportSlots } from './import-slots.ts';
import type { KeyedLocks } from './locks.ts';

/** Finds domains by a part of their name: see admin-api/zones/domains/search.ts. */
export interface DomainFinder {
  find(accountId: Id, search: DomainSearchOptions): Promise<FoundDomains>;
  /** Builds the search index of the account in advance. */
  prepare(accountId: Id): void;
}

export interface DomainSearchOptions {
  /** The part of the name, in lower case; empty: all domains. */
  readonly wanted: string;
  /** Starts after this apex; null: at the first domain. */
  readonly after: Name | null;
  readonly limit: number;
  readonly descending?: boolean;
  /** Sorts as people read, from the first letter; otherwise in canonical order. */
  readonly isAlphabetical?: boolean;
  /** Also counts all matches of the account. */
  readonly counts?: boolean;
}

export interface FoundDomains {
  readonly ids: readonly Id[];
  /** The name of the last domain in `ids` if further names match; otherwise null. */
  readonly last: Name | null;
  /** Null: not counted. */
  readonly total: number | null;
}

export interface Services {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly reader: StoreReader;
  readonly config: Config;
  readonly zoneSettings: ZoneSettings;
  readonly log: Logger;
  readonly tasks: Tasks;
  readonly locks: KeyedLocks;
  readonly imports: ImportSlots;
  /** Slots for long lists and exports. */
  readonly streams: StreamSlots;
  readonly secrets: Secrets;
  readonly search: DomainFinder;
  readonly aliases: AliasStates;
  /** Queries the nameservers of parent zones for DS records. */
  readonly publicParent: PublicLook;
  /** Transfers secondary zones. */
  readonly secondaries: SecondaryZones;
  /** The results of consuming catalogs. */
  readonly catalogs: CatalogStates;
  /** Null: traces are off. */
  readonly traces: Pick<WriteTraces, 'of'> | null;
  /** Checks whether an account may add a domain. */
  readonly admission: DomainAdmission;
  /** Queries the nameservers of parent zones for delegations. */
  readonly delegation: DelegationLook;
  /** Queries the current nameservers of domains for their records. */
  readonly presentRecords: PresentRecords;
  /** What this node picks steered answers by, and the health of the answers as it sees it. */
  readonly steering: SteeringState;
  readonly steeringHealth: SteeringHealthStates;
}

/** See SteeringKeeper in core/site/steering/keeper.ts. */
export interface SteeringHealthStates {
  /** Undefined: the answer is not checked. */
  stateOf(domain: Id, check: Buffer): AnswerHealth | undefined;
  /** Answers in the documents of an account, without those of one domain. */
  usageOf(account: Id, except: Id): { readonly answers: number; readonly checked: number };
}

/** See CatalogConsumer in core/upkeep/catalog/consumer.ts. */
export interface CatalogStates {
  state(catalogId: Id): CatalogState | undefined;
}

/** The secondary zones of this node: see core/upkeep/secondary. */
export interface SecondaryZones {
  /** The current state of a zone on this node; the stored row may be older. */
  row(domainId: Id): SecondaryRow | undefined;
  /**
   * Queries the primaries now, and transfers the zone if it has changed. `force`: a full transfer,
   * even to an older serial. Never rejects: an error is in the row.
   */
  transfer(domainId: Id, force: boolean): Promise<SecondaryRow | undefined>;
}

/** Parses the id in a path or a query. Returns 0, which is never an id, for malformed text. */
export function parseId(text: string): Id {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(id) ? id : 0;
}
