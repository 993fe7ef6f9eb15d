/** Signs the RRsets of one zone with its keys, by its signing clock. */
import { randomBytes } from 'node:crypto';
import { WaypostError } from '../../base/errors.ts';
import { latin1 } from '../wire/latin1.ts';
import type { Name } from '../wire/name.ts';
import { type RRset, TYPE } from '../wire/types.ts';
import { MIN_SIGNATURE_LENGTH, SigningKey } from './keys.ts';
import { validityOf } from './lifetime.ts';
import { hashName, hashPrefix } from './nsec3.ts';
import { coveredType, type PreparedRrsig, prepareRrsig, rrsigRdata, signerName } from './rrsig.ts';
import { endOfShare, OWN_SHARE, SigningFaults, type SigningThreads } from './signing-threads.ts';

/** Caches signatures by key and message digest. */
export class SignatureMemo implements SignatureSource {
  readonly faults = new SigningFaults();
  hits = 0;
  /** Number of signatures made. */
  made = 0;
  #recent = new Map<string, Uint8Array>();
  /** The previous generation, which is dropped when `#recent` is full. */
  #older: ReadonlyMap<string, Uint8Array> = new Map();
  readonly #limit: number;

  /** `limit`: maximum number of cached signatures. */
  constructor(limit = 16_384) {
    this.#limit = limit;
  }

  /** The signature, made immediately if it is not cached. Throws as `checked`. */
  add(prepared: PreparedRrsig): Uint8Array {
    const id = idOf(prepared);
    let signature = this.get(id);
    if (signature === undefined) {
      signature = checked(prepared, SigningKey.signAll([prepared])[0], this.faults);
      this.set(id, signature);
    }
    return signature;
  }

  get(id: string): Uint8Array | undefined {
    let found = this.#recent.get(id);
    if (found === undefined) {
      found = this.#older.get(id);
      if (found === undefined) return undefined;
      this.#put(id, found);
    }
    this.hits++;
    return found;
  }

  set(id: string, signature: Uint8Array): void {
    this.made++;
    this.#put(id, signature);
  }

  #put(id: string, signature: Uint8Array): void {
    if (this.#recent.size * 2 >= this.#limit) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(id, signature);
  }
}

/**
 * Verifies a signature over DNSKEY and makes it again if it is wrong; others are returned
 * unchecked. A wrong signature must not be published: with the right signature of the same message
 * it reveals the private key, as ECDSA and Ed25519 are deterministic here. Only signatures over
 * DNSKEY are verified: they are few, and made whenever a key is first used. Throws WaypostError
 * `wrong_signature` if the second signature is wrong too.
 */
function checked(prepared: PreparedRrsig, signature: Uint8Array, faults: SigningFaults): Uint8Array {
  const { key, message } = prepared;
  if (coveredType(prepared) !== TYPE.DNSKEY || key.verifies(message, signature)) return signature;
  const reason = 'a signature was wrong and was not published; the memory or the processor may be faulty';
  faults.report({ apex: signerName(prepared), keyTag: key.tag, reason });
  const [again] = SigningKey.signAll([prepared]);
  if (key.verifies(message, again)) return again;
  throw new WaypostError('wrong_signature', `Cannot sign with the DNSKEY with key tag ${key.tag}: ${reason}.`);
}

const idOf = ({ key, digest }: PreparedRrsig): string => latin1(key.identity.subarray(0, 8)) + latin1(digest);

/**
 * Work in short steps. The caller must await a yielded promise before the next step. Promises are
 * yielded only if threads sign.
 */
export type Steps<T = void> = Generator<Promise<void> | undefined, T>;

/** Makes signatures: a memo immediately, a batch all together. */
interface SignatureSource {
  add(prepared: PreparedRrsig): Uint8Array;
}

/** Random, so that no record can contain these bytes. */
const MARK = randomBytes(MIN_SIGNATURE_LENGTH - 4);
/** Cost of the signatures for each call of `signAll`. Larger calls are not faster. */
const CALL = 256;

interface Waiting {
  readonly prepared: PreparedRrsig;
  readonly id: string;
}

/**
 * Makes signatures together, which halves the cost. Until then each is represented by a
 * placeholder of its length: MARK and the number of the signature.
 */
export class SigningBatch implements SignatureSource {
  readonly #memo: SignatureMemo;
  readonly #threads: SigningThreads | null;
  /** By key and digest. */
  readonly #numbers = new Map<string, number>();
  readonly #signatures: Uint8Array[] = [];
  #waiting: Waiting[] = [];

  /** `threads`: sign in `signSteps`; null: the calling thread signs. */
  constructor(memo: SignatureMemo, threads: SigningThreads | null) {
    this.#memo = memo;
    this.#threads = threads;
  }

  /** The signature, or a placeholder for it. */
  add(prepared: PreparedRrsig): Uint8Array {
    const id = idOf(prepared);
    let number = this.#numbers.get(id);
    if (number !== undefined && number < this.#signatures.length) return this.#signatures[number];
    if (number === undefined) {
      const made = this.#memo.get(id);
      if (made !== undefined) return made;
      number = this.#signatures.length + this.#waiting.push({ prepared, id }) - 1;
      this.#numbers.set(id, number);
    }
    const placeholder = Buffer.allocUnsafe(prepared.key.signatureLength);
    placeholder.set(MARK);
    placeholder.writeUInt32BE(number, MARK.length);
    return placeholder;
  }

  /** Makes the signatures that were added, in steps of a few milliseconds. Throws as `checked`. */
  *signSteps(): Steps {
    const waiting = this.#waiting;
    this.#waiting = [];
    const inputs = waiting.map(({ prepared }) => prepared);
    if (this.#threads !== null && endOfShare(inputs, 0, OWN_SHARE) < inputs.length)
      yield this.#threads.sign(inputs).then((made) => this.#keep(waiting, made));
    else
      for (let i = 0, end: number; i < inputs.length; i = end) {
        if (i > 0) yield;
        end = Math.max(i + 1, endOfShare(inputs, i, CALL));
        this.#keep(waiting.slice(i, end), SigningKey.signAll(inputs.slice(i, end)));
      }
  }

  #keep(waiting: readonly Waiting[], signatures: readonly Uint8Array[]): void {
    for (const [i, made] of signatures.entries()) {
      const { prepared, id } = waiting[i];
      const signature = checked(prepared, made, this.#memo.faults);
      this.#signatures.push(signature);
      this.#memo.set(id, signature);
    }
  }

  /** Replaces placeholders with their signatures. Returns whether there were any. */
  fill(bytes: Buffer): boolean {
    let at = bytes.indexOf(MARK);
    if (at < 0) return false;
    while (at >= 0) {
      const signature = this.#signatures[bytes.readUInt32BE(at + MARK.length)];
      bytes.set(signature, at);
      at = bytes.indexOf(MARK, at + signature.length);
    }
    return true;
  }
}

/** Above the first 32 bits of every hash. */
export const ALL_HASHES = 2 ** 32;

interface ZoneKeys {
  /** Keys that sign names with hashes below `signedTo`, and the apex. Empty: these are unsigned. */
  readonly signing: readonly SigningKey[];
  /** Keys that sign the other names. Empty: these are unsigned. */
  readonly previous: readonly SigningKey[];
  /** Exclusive limit of the first 32 bits of hashes; ALL_HASHES: `signing` signs all names. */
  readonly signedTo: number;
  /** Keys that sign the DNSKEY RRset. */
  readonly published: readonly SigningKey[];
  /** See ZoneSigner. */
  readonly isComplete: boolean;
}

/** Seconds since 1970. */
interface ZoneClocks {
  readonly clock: number;
  /** Clock of the names that the keys `previous` sign. */
  readonly previous: number;
}

export class Signer {
  readonly #apex: Name;
  readonly #keys: ZoneKeys;
  readonly #clocks: ZoneClocks;
  readonly #source: SignatureSource;

  /** If `source` is a batch, it must be signed before its signatures are used. */
  constructor(apex: Name, keys: ZoneKeys, clocks: ZoneClocks, source: SignatureSource) {
    this.#apex = apex;
    this.#keys = keys;
    this.#clocks = clocks;
    this.#source = source;
  }

  /** See ZoneSigner. */
  get isComplete(): boolean {
    return this.#keys.isComplete;
  }

  hash(name: Name): Uint8Array {
    return hashName(name);
  }

  /** Whether RRsets at a name are signed. */
  signs(name: Name): boolean {
    const isAtApex = name.length === this.#apex.length;
    return this.#keysOf(this.#hasTurned(hashPrefix(hashName(name)), isAtApex)).length > 0;
  }

  /** Whether the NSEC3 record of a hash is signed. */
  signsHash(hash: Uint8Array): boolean {
    return this.#keysOf(this.#hasTurned(hashPrefix(hash), false)).length > 0;
  }

  /** Whether NSEC3 records of any hash are signed. */
  get signsSome(): boolean {
    const { signing, previous, signedTo } = this.#keys;
    return previous.length > 0 || (signing.length > 0 && signedTo > 0);
  }

  /** Whether the name of a hash is still to be signed. */
  willSign(hash: Uint8Array): boolean {
    const { signing, signedTo } = this.#keys;
    return signing.length > 0 && hashPrefix(hash) >= signedTo;
  }

  /**
   * The RRSIG RRset over an RRset, with its TTL; empty if the name is unsigned. `hash`: the hash of
   * the owner; for an NSEC3 record, the hash in its owner name.
   */
  sign(owner: Name, set: RRset, hash = hashName(owner)): RRset {
    const { type, ttl, rdatas } = set;
    const prefix = hashPrefix(hash);
    const isAtApex = type !== TYPE.NSEC3 && owner.length === this.#apex.length;
    const hasTurned = this.#hasTurned(prefix, isAtApex);
    const validity = validityOf(hasTurned ? this.#clocks.clock : this.#clocks.previous, prefix);
    const keys = isAtApex && type === TYPE.DNSKEY ? this.#keys.published : this.#keysOf(hasTurned);
    const signatures = keys.map((key) => {
      const prepared = prepareRrsig({ rrset: { owner, type, ttl, rdatas }, key, signer: this.#apex, validity });
      return rrsigRdata(prepared, this.#source.add(prepared));
    });
    return { type: TYPE.RRSIG, ttl, rdatas: signatures };
  }

  /** Every change of the zone recompiles the apex, so it is signed first, and unsigned last. */
  #hasTurned(prefix: number, isAtApex: boolean): boolean {
    const { signing, signedTo } = this.#keys;
    return isAtApex ? signing.length > 0 : prefix < signedTo;
  }

  #keysOf(hasTurned: boolean): readonly SigningKey[] {
    return hasTurned ? this.#keys.signing : this.#keys.previous;
  }
}
