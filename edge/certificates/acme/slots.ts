/**
 * Distributes the names of a domain over its certificates, and selects the certificate to order
 * next. Pure. The first certificate has slot 0; most domains need no other.
 */

/**
 * Maximum names of a certificate. Let's Encrypt accepts 100, but only 25 with some of its profiles,
 * and each name needs its own validation.
 */
export const MAX_NAMES = 25;
/** Maximum certificates of a domain. Authorities limit certificates for a domain per week. */
const MAX_CERTIFICATES = 20;
/** Maximum names of the certificates of a domain. */
export const MAX_ALL_NAMES = MAX_NAMES * MAX_CERTIFICATES;

/** A stored certificate. Times are seconds since 1970. */
export interface HeldCertificate {
  readonly slot: number;
  readonly names: readonly string[];
  /** PEM, the leaf first. */
  readonly chain: string;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly createdAt: number;
  readonly renewAt: number;
  /** The directory that issued it; null: unknown. */
  readonly directory: string | null;
}

export interface SlotNames {
  readonly slot: number;
  /** In the order of the wanted names. */
  readonly names: readonly string[];
}

/**
 * Names stay in their certificate, and further names fill the free room of the first certificates,
 * so that few certificates change. Certificates without names are left out. `maxSlots`: 1 while
 * nodes of the cluster cannot read further certificates. `kept`: slots that take no further names.
 */
export function assignNames(
  wanted: readonly string[],
  held: readonly Pick<HeldCertificate, 'slot' | 'names'>[],
  maxSlots = MAX_CERTIFICATES,
  kept: ReadonlySet<number> = NO_SLOTS,
): SlotNames[] {
  const slots: string[][] = Array.from({ length: maxSlots }, () => []);
  const slotOf = new Map<string, number>();
  for (const { slot, names } of [...held].reverse())
    if (slot < maxSlots) for (const name of names) slotOf.set(name, slot);
  const added: string[] = [];
  for (const name of wanted) {
    const slot = slotOf.get(name);
    if (slot !== undefined && slots[slot].length < MAX_NAMES) slots[slot].push(name);
    else added.push(name);
  }
  // Older nodes and the state of the domain know the first certificate only.
  if (slots[0].length === 0 && added.length < MAX_NAMES) {
    const moved = slots.findIndex((names) => names.length > 0 && names.length + added.length <= MAX_NAMES);
    if (moved > 0) slots[0] = slots[moved].splice(0);
  }
  let slot = 0;
  for (const name of added) {
    while (slot < maxSlots && (kept.has(slot) || slots[slot].length >= MAX_NAMES)) slot++;
    if (slot === maxSlots) break;
    slots[slot].push(name);
  }
  return slots.map((names, i) => ({ slot: i, names })).filter(({ names }) => names.length > 0);
}

const NO_SLOTS: ReadonlySet<number> = new Set();

/** Whether a directory issued the certificate that this node does not use any more. */
export const isForeign = ({ directory }: Pick<HeldCertificate, 'directory'>, directories: readonly string[]): boolean =>
  directory !== null && directories.length > 0 && !directories.includes(directory);

/** Slots whose valid certificates have no RSA certificate beside them, or one that is due. */
export function slotsWithoutRsa(
  held: readonly Pick<HeldCertificate, 'slot' | 'names' | 'notAfter' | 'createdAt'>[],
  rsa: readonly Pick<HeldCertificate, 'slot' | 'names' | 'renewAt' | 'createdAt'>[],
  now: number,
): ReadonlySet<number> {
  const lacking = held.filter(({ slot, names, notAfter, createdAt }) => {
    const beside = rsa.find((each) => each.slot === slot);
    if (notAfter <= now) return false;
    if (beside === undefined || beside.renewAt <= now) return true;
    return beside.createdAt < createdAt && !names.every((name) => beside.names.includes(name));
  });
  return new Set(lacking.map(({ slot }) => slot));
}

interface Choice {
  /** The directories of this node. */
  readonly directories: readonly string[];
  /** Failed orders: each failure moves on to the next due certificate. */
  readonly failures: number;
  /** Whether the customer requested an order, also if none is due. */
  readonly isRequested: boolean;
  /** Slots for which an RSA certificate is ordered, if nothing else is due. */
  readonly withoutRsa: ReadonlySet<number>;
  /** Seconds since 1970. */
  readonly now: number;
}

interface Chosen extends SlotNames {
  /** Whether the RSA certificate beside another one is ordered. */
  readonly isRsa: boolean;
}

/** Null: no certificate is due. Certificates that are missing are first, renewals last. */
export function chooseSlot(
  slots: readonly SlotNames[],
  held: readonly HeldCertificate[],
  { directories, failures, isRequested, withoutRsa, now }: Choice,
): Chosen | null {
  const rankOf = ({ slot, names }: SlotNames): number => {
    const certificate = held.find((each) => each.slot === slot);
    if (certificate === undefined || certificate.notAfter <= now) return 0;
    if (names.some((name) => !certificate.names.includes(name))) return 1;
    if (isForeign(certificate, directories) || certificate.renewAt <= now) return 2;
    return withoutRsa.has(slot) ? RSA : NOT_DUE;
  };
  const due = slots
    .map((slot) => ({ slot, rank: rankOf(slot) }))
    .filter(({ rank }) => rank < NOT_DUE)
    .sort((a, b) => a.rank - b.rank);
  if (due.length > 0) {
    const { slot, rank } = due[failures % due.length];
    return { ...slot, isRsa: rank === RSA };
  }
  return isRequested && slots.length > 0 ? { ...slots[0], isRsa: false } : null;
}

const RSA = 3;
const NOT_DUE = 4;
