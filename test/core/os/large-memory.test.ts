/** Memory with large pages: it has the requested size, and the system was asked for large pages. */
import { existsSync, readFileSync } from 'node:fs';
import koffi from 'koffi';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { largeMemory } from '../../../core/os/memory.ts';

const MEGABYTE = 1 << 20;

/** VmFlags (proc(5)) of the mapping that holds `address`; `hg` is the advice. */
function flagsAt(address: number): string[] {
  let inside = false;
  for (const line of readFileSync('/proc/self/smaps', 'latin1').split('\n')) {
    const range = /^([0-9a-f]+)-([0-9a-f]+) /.exec(line);
    if (range !== null) inside = Number.parseInt(range[1], 16) <= address && address < Number.parseInt(range[2], 16);
    else if (inside && line.startsWith('VmFlags:')) return line.slice(8).trim().split(' ');
  }
  return [];
}

test('zeros of the size that was asked for, shared', () => {
  for (const size of [8, MEGABYTE, 16 * MEGABYTE + 8]) {
    const memory = largeMemory(size);
    assert.instance(memory, SharedArrayBuffer);
    assert.is(memory.byteLength, size);
    const bytes = new Uint8Array(memory);
    assert.equal([bytes[0], bytes[size - 1]], [0, 0]);
  }
});

if (existsSync('/sys/kernel/mm/transparent_hugepage/enabled'))
  test('large pages are requested for large memory', () => {
    const flagsOf = (size: number): string[] => {
      const memory = largeMemory(size);
      return flagsAt(Number(koffi.address(new Uint8Array(memory))) + (size >> 1));
    };
    assert.ok(flagsOf(64 * MEGABYTE).includes('hg'));
    assert.not(flagsOf(MEGABYTE).includes('hg'));
  });

test.run();
