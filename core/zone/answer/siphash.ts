/**
 * SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF") in 32-bit halves, since
 * BigInt would allocate. Words are little-endian.
 */

/**
 * Hashes `blocks` blocks of `message`, each of two words, low word first. The last block ends with
 * the message's length. `key`: 16 bytes as four words (`sipKey`). Writes the 8 bytes
 * of the hash to `out`, low word first. Hot.
 */
export function sipHash24(message: Int32Array, blocks: number, key: Int32Array, out: Int32Array): void {
  // The initial state is "somepseudorandomlygeneratedbytes".
  let v0l = key[0] ^ 0x70736575;
  let v0h = key[1] ^ 0x736f6d65;
  let v1l = key[2] ^ 0x6e646f6d;
  let v1h = key[3] ^ 0x646f7261;
  let v2l = key[0] ^ 0x6e657261;
  let v2h = key[1] ^ 0x6c796765;
  let v3l = key[2] ^ 0x79746573;
  let v3h = key[3] ^ 0x74656462;
  for (let block = 0; block <= blocks; block++) {
    let rounds = 4;
    let ml = 0;
    let mh = 0;
    if (block < blocks) {
      rounds = 2;
      ml = message[block * 2];
      mh = message[block * 2 + 1];
      v3l ^= ml;
      v3h ^= mh;
    } else v2l ^= 0xff;
    for (; rounds > 0; rounds--) {
      let low = (v0l + v1l) | 0;
      v0h = (v0h + v1h + carryOf(low, v0l)) | 0;
      v0l = low;
      let rotated = (v1l << 13) | (v1h >>> 19);
      v1h = ((v1h << 13) | (v1l >>> 19)) ^ v0h;
      v1l = rotated ^ v0l;
      rotated = v0l;
      v0l = v0h;
      v0h = rotated;

      low = (v2l + v3l) | 0;
      v2h = (v2h + v3h + carryOf(low, v2l)) | 0;
      v2l = low;
      rotated = (v3l << 16) | (v3h >>> 16);
      v3h = ((v3h << 16) | (v3l >>> 16)) ^ v2h;
      v3l = rotated ^ v2l;

      low = (v0l + v3l) | 0;
      v0h = (v0h + v3h + carryOf(low, v0l)) | 0;
      v0l = low;
      rotated = (v3l << 21) | (v3h >>> 11);
      v3h = ((v3h << 21) | (v3l >>> 11)) ^ v0h;
      v3l = rotated ^ v0l;

      low = (v2l + v1l) | 0;
      v2h = (v2h + v1h + carryOf(low, v2l)) | 0;
      v2l = low;
      rotated = (v1l << 17) | (v1h >>> 15);
      v1h = ((v1h << 17) | (v1l >>> 15)) ^ v2h;
      v1l = rotated ^ v2l;
      rotated = v2l;
      v2l = v2h;
      v2h = rotated;
    }
    v0l ^= ml;
    v0h ^= mh;
  }
  out[0] = v0l ^ v1l ^ v2l ^ v3l;
  out[1] = v0h ^ v1h ^ v2h ^ v3h;
}

/** Converts 16 bytes to the words of a key. */
export function sipKey(bytes: Uint8Array): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  return Int32Array.from([0, 4, 8, 12], (at) => view.getInt32(at, true));
}

/** The carry of an addition to `before` that gave `sum`. */
function carryOf(sum: number, before: number): number {
  return sum >>> 0 < before >>> 0 ? 1 : 0;
}
