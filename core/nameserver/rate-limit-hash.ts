/**
 * HalfSipHash-1-3 of four 32-bit words (Aumasson and Bernstein). It is the 32-bit variant of
 * SipHash, as in the hash tables of the Linux kernel. Without the key, an attacker cannot aim at
 * the bucket of another client. Hot: allocates nothing.
 */

/** `key`: two words; `words`: four. */
export function halfSipHash(key: Int32Array, words: Int32Array): number {
  let v0 = key[0];
  let v1 = key[1];
  let v2 = key[0] ^ 0x6c796765;
  let v3 = key[1] ^ 0x74656462;
  for (let i = 0; i < 7; i++) {
    const word = i < 4 ? words[i] : 0;
    // After the words, three finalization rounds without input.
    if (i === 4) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return v1 ^ v3;
}
