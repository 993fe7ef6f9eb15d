/**
 * Session tickets (RFC 5077, RFC 8446 section 4.6.1) for an SSL_CTX. They are sealed with the
 * current key, and opened with the current or the previous one. Each use issues a new ticket, since
 * clients should use a ticket only once (RFC 8446 appendix C.4). The format is that of node:tls
 * (AES-128-CBC, HMAC with SHA-256), so either implementation opens the other's tickets.
 */
import type { TicketKeys } from '../../../../core/site/tls/ticket-keys.ts';
import { type Address, C, type Callbacks, NULL, type Openssl, type Pointer } from './library.ts';
import { Memory } from './memory.ts';
import type { Handle, Objects } from './ownership.ts';

const PART = 16;
/** Results of the callback. */
const FAILED = -1;
const DISCARD = 0;
const SEALED = 1;
const RENEW = 2;

/** struct OSSL_PARAM: key, data_type, data, data_size, return_size. */
const PARAM = 40;
/** Offset of the OSSL_PARAMs in the memory of a key. */
const PARAMS_AT = 128;

/** A key in the layout that OpenSSL reads. */
class TicketKey {
  /** Name, MAC key, cipher key, then the targets of the OSSL_PARAMs, then the OSSL_PARAMs. */
  readonly #memory = new Memory(512);

  constructor(key: Uint8Array) {
    const { bytes } = this.#memory;
    bytes.fill(0);
    bytes.set(key, 0);
    bytes.write('digest\0', 64, 'latin1');
    bytes.write('SHA256\0', 80, 'latin1');
    bytes.write('key\0', 96, 'latin1');
    const param = (at: number, name: number, type: number, data: number, size: number): void => {
      this.#memory.writePointer(at, this.#memory.at(name));
      bytes.writeUInt32LE(type, at + 8);
      this.#memory.writePointer(at + 16, this.#memory.at(data));
      bytes.writeBigUInt64LE(BigInt(size), at + 24);
      bytes.writeBigUInt64LE(0xffff_ffff_ffff_ffffn, at + 32); // OSSL_PARAM_UNMODIFIED
    };
    param(PARAMS_AT, 64, C.OSSL_PARAM_UTF8_STRING, 80, 6);
    param(PARAMS_AT + PARAM, 96, C.OSSL_PARAM_OCTET_STRING, PART, PART);
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

  get cipherKey(): Address {
    return this.#memory.at(2 * PART, PART);
  }

  get params(): Pointer<'OSSL_PARAM'> {
    return this.#memory.at(PARAMS_AT, 3 * PARAM) as number as Pointer<'OSSL_PARAM'>;
  }
}

export class Tickets {
  /** For SSL_CTX_set_tlsext_ticket_key_evp_cb. */
  readonly callback: Callbacks['ticketKey'];
  readonly #openssl: Openssl;
  readonly #cipher: Handle<'EVP_CIPHER'>;
  readonly #name = Buffer.alloc(PART);
  #current: TicketKey | null = null;
  #previous: TicketKey | null = null;

  constructor(objects: Objects) {
    const { openssl } = objects;
    this.#openssl = openssl;
    this.#cipher = objects.own('EVP_CIPHER', openssl.EVP_CIPHER_fetch(NULL, 'AES-128-CBC', NULL), 'AES-128-CBC');
    this.callback = (_ssl, name, iv, cipher, mac, enc) => {
      try {
        return enc === 0 ? this.#open(name, iv, cipher, mac) : this.#seal(name, iv, cipher, mac);
      } catch {
        return FAILED;
      }
    };
  }

  set({ current, previous }: TicketKeys): void {
    this.#current = new TicketKey(current);
    this.#previous = previous === null ? null : new TicketKey(previous);
  }

  /** Requires that nothing calls the callback any more. */
  close(): void {
    this.#cipher.free();
  }

  #seal(name: Address, iv: Address, cipher: Pointer<'EVP_CIPHER_CTX'>, mac: Pointer<'EVP_MAC_CTX'>): number {
    const key = this.#current;
    const { RAND_bytes, copyOut, EVP_EncryptInit_ex, EVP_MAC_CTX_set_params } = this.#openssl;
    if (key === null) return DISCARD;
    if (RAND_bytes(iv, PART) !== 1) return FAILED;
    copyOut(name, key.name, PART);
    const isReady =
      EVP_EncryptInit_ex(cipher, this.#cipher.pointer, NULL, key.cipherKey, iv) === 1 &&
      EVP_MAC_CTX_set_params(mac, key.params) === 1;
    return isReady ? SEALED : FAILED;
  }

  #open(name: Address, iv: Address, cipher: Pointer<'EVP_CIPHER_CTX'>, mac: Pointer<'EVP_MAC_CTX'>): number {
    const { copyIn, EVP_DecryptInit_ex, EVP_MAC_CTX_set_params } = this.#openssl;
    copyIn(this.#name, name, PART);
    const key = [this.#current, this.#previous].find((ticketKey) => ticketKey?.isNamed(this.#name));
    if (!key) return DISCARD;
    const isReady =
      EVP_DecryptInit_ex(cipher, this.#cipher.pointer, NULL, key.cipherKey, iv) === 1 &&
      EVP_MAC_CTX_set_params(mac, key.params) === 1;
    return isReady ? RENEW : FAILED;
  }
}
