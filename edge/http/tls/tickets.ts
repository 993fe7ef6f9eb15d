/**
 * Session tickets (RFC 5077, RFC 8446 section 4.6.1) for OpenSSL contexts. They are sealed with the
 * current key, and opened with the current or the previous one. Each use issues a new ticket, since
 * clients should use a ticket only once (RFC 8446 appendix C.4). The format is that of node:tls
 * (AES-128-CBC, HMAC with SHA-256), so either implementation opens the other's tickets.
 */
import type { TicketKeys } from '../../../core/site/tls/ticket-keys.ts';
import { fixedMemory, type Openssl } from './openssl.ts';

const PART = 16;
/** Results of the callback. */
const FAILED = -1;
const DISCARD = 0;
const SEALED = 1;
const RENEW = 2;

/** struct OSSL_PARAM: key, data_type, data, data_size, return_size. */
const PARAM = 40;
const UTF8_STRING = 4;
const OCTET_STRING = 5;

/** A key in the layout that OpenSSL reads. */
class TicketKey {
  /** Name, MAC key, cipher key, then the targets of the OSSL_PARAMs, then the OSSL_PARAMs. */
  readonly #memory = fixedMemory(512);
  readonly #params = 128;

  constructor(key: Uint8Array) {
    const { bytes, address } = this.#memory;
    bytes.fill(0);
    bytes.set(key, 0);
    bytes.write('digest\0', 64, 'latin1');
    bytes.write('SHA256\0', 80, 'latin1');
    bytes.write('key\0', 96, 'latin1');
    const param = (at: number, name: number, type: number, data: number, size: number): void => {
      bytes.writeBigUInt64LE(BigInt(address + name), at);
      bytes.writeUInt32LE(type, at + 8);
      bytes.writeBigUInt64LE(BigInt(address + data), at + 16);
      bytes.writeBigUInt64LE(BigInt(size), at + 24);
      bytes.writeBigUInt64LE(0xffff_ffff_ffff_ffffn, at + 32); // OSSL_PARAM_UNMODIFIED
    };
    param(this.#params, 64, UTF8_STRING, 80, 6);
    param(this.#params + PARAM, 96, OCTET_STRING, PART, PART);
    // The third OSSL_PARAM is all zero and ends the list.
  }

  get name(): Buffer {
    return this.#memory.bytes.subarray(0, PART);
  }

  isNamed(name: Uint8Array): boolean {
    const { bytes } = this.#memory;
    for (let i = 0; i < PART; i++) if (bytes[i] !== name[i]) return false;
    return true;
  }

  get cipherKey(): number {
    return this.#memory.address + 2 * PART;
  }

  get params(): number {
    return this.#memory.address + this.#params;
  }
}

/** The ticket keys of a thread, for all its contexts. */
export class Tickets {
  readonly #openssl: Openssl;
  readonly #cipher: number;
  readonly #name = Buffer.alloc(PART);
  #current: TicketKey | null = null;
  #previous: TicketKey | null = null;
  readonly #callback: (ssl: number, name: number, iv: number, cipher: number, mac: number, enc: number) => number;

  constructor(openssl: Openssl) {
    this.#openssl = openssl;
    this.#cipher = openssl.EVP_CIPHER_fetch(0, 'AES-128-CBC', 0);
    if (this.#cipher === 0) throw new Error('OpenSSL has no AES-128-CBC here');
    this.#callback = (_ssl, name, iv, cipher, mac, enc) => {
      try {
        return enc === 0 ? this.#open(name, iv, cipher, mac) : this.#seal(name, iv, cipher, mac);
      } catch {
        return FAILED;
      }
    };
  }

  /** May be called again at any time, to rotate the keys. */
  set({ current, previous }: TicketKeys): void {
    this.#current = new TicketKey(current);
    this.#previous = previous === null ? null : new TicketKey(previous);
  }

  serve(context: number): void {
    this.#openssl.setTicketKey(context, this.#callback);
  }

  /** Requires that all served contexts are freed. */
  close(): void {
    this.#openssl.forget(this.#callback);
    this.#openssl.EVP_CIPHER_free(this.#cipher);
  }

  #seal(name: number, iv: number, cipher: number, mac: number): number {
    const key = this.#current;
    const { RAND_bytes, memcpyOut, EVP_EncryptInit_ex, EVP_MAC_CTX_set_params } = this.#openssl;
    if (key === null) return DISCARD;
    if (RAND_bytes(iv, PART) !== 1) return FAILED;
    memcpyOut(name, key.name, PART);
    const isReady =
      EVP_EncryptInit_ex(cipher, this.#cipher, 0, key.cipherKey, iv) === 1 &&
      EVP_MAC_CTX_set_params(mac, key.params) === 1;
    return isReady ? SEALED : FAILED;
  }

  #open(name: number, iv: number, cipher: number, mac: number): number {
    const { memcpyIn, EVP_DecryptInit_ex, EVP_MAC_CTX_set_params } = this.#openssl;
    memcpyIn(this.#name, name, PART);
    const key = [this.#current, this.#previous].find((ticketKey) => ticketKey?.isNamed(this.#name));
    if (!key) return DISCARD;
    const isReady =
      EVP_DecryptInit_ex(cipher, this.#cipher, 0, key.cipherKey, iv) === 1 &&
      EVP_MAC_CTX_set_params(mac, key.params) === 1;
    return isReady ? RENEW : FAILED;
  }
}
