/**
 * Resources of a thread that outlive it: descriptors and OpenSSL objects, in memory shared with the
 * main thread. The main thread frees them if the thread dies. An entry is cleared before its
 * resource is freed, so nothing is freed twice, wherever the thread died.
 */
import { OWN_PLACES } from '../../../core/os/descriptor-loop.ts';
import { loadLibc } from '../../../core/os/libc.ts';
import { loadOpenssl, type Openssl } from './openssl.ts';
import { MAX_AUTHORITIES, MAX_CHAINS } from './profile.ts';
import { type QuickTools, quickTools } from './quick-credential.ts';

/** Addresses of a credential: X509, EVP_PKEY. */
export const FIELDS = 2;
/** Addresses of a list of authorities: X509_STORE, STACK_OF(X509). */
export const AUTHORITY_FIELDS = 2;

export interface SharedPlaces {
  /** Descriptors plus 1, by slot; 0: none. */
  readonly fds: SharedArrayBuffer;
  /** Addresses of SSL objects, by slot; 0: none. */
  readonly objects: SharedArrayBuffer;
  /** Address of the SSL_CTX; 0: none. */
  readonly context: SharedArrayBuffer;
  /** FIELDS addresses for each certificate, and room for one beyond the cached ones; 0: none. */
  readonly credentials: SharedArrayBuffer;
  /** Addresses of STACK_OF(X509), and room for one beyond the cached ones; 0: none. */
  readonly chains: SharedArrayBuffer;
  /**
   * AUTHORITY_FIELDS addresses for each list of client authorities, and room for one beyond the
   * cached ones; 0: none.
   */
  readonly authorities: SharedArrayBuffer;
  /** Shared by the threads of the process; null: this OpenSSL does not support them. */
  readonly quick: QuickTools | null;
}

/** The part that credentials.ts uses. */
export interface CredentialPlaces {
  readonly credentials: Float64Array;
  readonly chains: Float64Array;
  readonly quick: QuickTools | null;
}

/**
 * `connections`: maximum of a thread, with and without TLS. `certificates`: maximum that a thread
 * caches.
 */
export function sharePlaces(connections: number, certificates: number): SharedPlaces {
  const count = OWN_PLACES + connections;
  const addresses = (length: number) => new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT);
  return {
    fds: new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT),
    objects: addresses(count),
    context: addresses(1),
    credentials: addresses(FIELDS * (certificates + 1)),
    chains: addresses(MAX_CHAINS + 1),
    authorities: addresses(AUTHORITY_FIELDS * (MAX_AUTHORITIES + 1)),
    quick: quickTools(),
  };
}

export class Places implements CredentialPlaces {
  readonly fds: Int32Array;
  readonly objects: Float64Array;
  readonly context: Float64Array;
  readonly credentials: Float64Array;
  readonly chains: Float64Array;
  readonly authorities: Float64Array;
  readonly quick: QuickTools | null;

  constructor({ fds, objects, context, credentials, chains, authorities, quick }: SharedPlaces) {
    this.fds = new Int32Array(fds);
    this.objects = new Float64Array(objects);
    this.context = new Float64Array(context);
    this.credentials = new Float64Array(credentials);
    this.chains = new Float64Array(chains);
    this.authorities = new Float64Array(authorities);
    this.quick = quick;
  }
}

/** Frees the resources of a thread that has ended. Returns their number. */
export function clearPlaces(shared: SharedPlaces): number {
  const { fds, objects, context, credentials, chains, authorities } = new Places(shared);
  let count = 0;
  for (let slot = 0; slot < fds.length; slot++) {
    const [fd, object] = [fds[slot] - 1, objects[slot]];
    fds[slot] = 0;
    objects[slot] = 0;
    if (object !== 0) loadOpenssl().SSL_free(object);
    if (fd >= 0) loadLibc().close(fd);
    if (object !== 0 || fd >= 0) count++;
  }
  for (let slot = 0; slot < credentials.length / FIELDS; slot++) {
    if (credentials[FIELDS * slot] === 0) continue;
    freeCredential(loadOpenssl(), credentials, slot);
    count++;
  }
  for (let slot = 0; slot < chains.length; slot++) {
    if (chains[slot] === 0) continue;
    freeChain(loadOpenssl(), chains, slot);
    count++;
  }
  for (let index = 0; index < authorities.length / AUTHORITY_FIELDS; index++) {
    if (authorities[AUTHORITY_FIELDS * index] === 0) continue;
    freeAuthority(loadOpenssl(), authorities, index);
    count++;
  }
  const [address] = context;
  context[0] = 0;
  if (address !== 0) {
    loadOpenssl().SSL_CTX_free(address);
    count++;
  }
  return count;
}

/** Does nothing for an empty slot. */
export function freeCredential(openssl: Openssl, credentials: Float64Array, slot: number): void {
  const at = FIELDS * slot;
  const [own, key] = [credentials[at], credentials[at + 1]];
  credentials[at] = 0;
  credentials[at + 1] = 0;
  if (own !== 0) openssl.X509_free(own);
  if (key !== 0) openssl.EVP_PKEY_free(key);
}

/** Does nothing for an empty index. */
export function freeAuthority(openssl: Openssl, authorities: Float64Array, index: number): void {
  const at = AUTHORITY_FIELDS * index;
  const store = authorities[at];
  authorities[at] = 0;
  freeChain(openssl, authorities, at + 1);
  if (store !== 0) openssl.X509_STORE_free(store);
}

export function freeChain(openssl: Openssl, chains: Float64Array, at: number): void {
  const chain = chains[at];
  chains[at] = 0;
  if (chain === 0) return;
  for (let certificate = openssl.OPENSSL_sk_pop(chain); certificate !== 0; certificate = openssl.OPENSSL_sk_pop(chain))
    openssl.X509_free(certificate);
  openssl.OPENSSL_sk_free(chain);
}
