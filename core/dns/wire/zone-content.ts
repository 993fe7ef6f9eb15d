/**
 * What a zone loads although it should not have it. One set of rules for zone files, transfers and
 * catalogs: what Knot, NSD and BIND load is loaded, and the rest of the zone is never lost for a
 * record that cannot be served. docs/internals/zones.md has the table.
 */
import { typeName } from './mnemonics.ts';

export interface ContentWarning {
  /** Stable, in snake case. */
  readonly code: string;
  readonly message: string;
}

/** `name`: the owner, as it is shown. All three drop such records of a transfer. */
export const outsideOfZone = (name: string): ContentWarning => ({
  code: 'name_outside',
  message: `The owner name ${name} is outside the zone; the record is ignored.`,
});

/** Knot and NSD load such records, but no query can ask for them (RFC 6895 section 3.1). */
export const ofQueryType = (type: number): ContentWarning => ({
  code: 'query_type',
  message: `${typeName(type)} is a query type, so no record can have it; the record is ignored.`,
});

/** Knot and NSD load them as records of class IN. */
export const ofOtherClass = (qclass: number): ContentWarning => ({
  code: 'other_class',
  message: `The class ${qclass} is not IN; the record is ignored.`,
});

/** Knot ignores it too. */
export const SOA_BELOW_APEX: ContentWarning = {
  code: 'extra_soa',
  message: 'The SOA record below the apex of the zone is ignored.',
};

export const SECOND_SOA: ContentWarning = {
  code: 'extra_soa',
  message: 'This second SOA record is ignored; a zone has only one.',
};

/** Kept as it is: see mayBeMalformed. */
export const malformedContent = (fault: string): ContentWarning => ({
  code: 'invalid_content',
  message: `${fault.replace(/\.$/, '')}; it is served as it is.`,
});

/** An ALIAS is never sent, so without a target there is nothing left of it. */
export const aliasWithoutTarget = (fault: string): ContentWarning => ({
  code: 'invalid_content',
  message: `${fault.replace(/\.$/, '')}; the record is ignored.`,
});

/** Knot and NSD load such a zone. */
export const NO_NAMESERVERS: ContentWarning = {
  code: 'no_nameservers',
  message: 'The zone has no NS records at its apex.',
};
