/** The LMDB file. */
import { totalmem } from 'node:os';
import type { StoreFigures } from '../../../core/store/inspect.ts';
import { type AnyCheck, check, failure, note, ok, warning } from './check.ts';
import type { Context } from './context.ts';
import { size } from './machine.ts';

const read = async (context: Context): Promise<StoreFigures> => (await context.store()).figures;

export const formatCheck = check<StoreFigures>({
  id: 'store.format',
  why: 'A version that cannot read the format of the store refuses to start.',
  read,
  judge: ({ format, ownFormat }) =>
    format === ownFormat
      ? ok(`format ${format}`)
      : failure(`format ${format}, and this version reads format ${ownFormat}`, 'waypost zone export --out zones/'),
});

interface MapReading {
  readonly fileBytes: number;
  readonly usedBytes: number;
  /** Bytes of memory of the machine. */
  readonly memory: number;
}

export const map = check<MapReading>({
  id: 'store.map',
  why: 'Reads of a file that is larger than the memory wait for the disk.',
  read: async (context) => ({ ...(await read(context)), memory: totalmem() }),
  judge({ fileBytes, usedBytes, memory }) {
    const found = `the file has ${size(fileBytes)}, of which ${size(usedBytes)} are used; the memory is ${size(memory)}`;
    return fileBytes > memory ? note(found, 'iostat -x 1 5') : ok(found);
  },
});

export const readersCheck = check<Pick<StoreFigures, 'readers' | 'maxReaders'>>({
  id: 'store.readers',
  why: 'Each thread takes a reader slot; without a free one, a thread cannot read the store.',
  read,
  judge({ readers, maxReaders }) {
    const found = `${readers} of ${maxReaders} reader slots are used`;
    return readers > maxReaders * 0.8 ? warning(found, 'sudo systemctl restart waypost') : ok(found);
  },
});

export const STORE_CHECKS: readonly AnyCheck[] = [formatCheck, map, readersCheck];
