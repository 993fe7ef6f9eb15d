/** Update messages taken apart, and their responses, against messages written by hand. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InvalidError } from '../../../../core/base/errors.ts';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { parseUpdate } from '../../../../core/dns/wire/update.ts';
import {
  add,
  deleteName,
  deleteOne,
  encodeUpdate,
  nxrrset,
  type Section,
  sameRecord,
} from '../../../support/update-message.ts';

const ZONE = parseName('example.net.');
const OPT = Uint8Array.of(0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0);

const shown = ({ name, type, class: qclass, ttl, rdata }: Section): string =>
  [formatName(name), type, qclass, ttl, Buffer.from(rdata).toString('hex')].join(' ');

test('sections are read in order, rdata as it is stored', () => {
  const prerequisites = [nxrrset('a.example.net.', 'A'), sameRecord('b.example.net.', 'TXT', '"t"')];
  const mx = add('A.example.net.', 300, 'MX', '10 m.example.net.');
  const updates = [
    { ...mx, rdata: Buffer.from(mx.rdata.map((byte) => (byte === 0x6d ? 0x4d : byte))) },
    deleteName('c.example.net.'),
    deleteOne('d.example.net.', 'A', '192.0.2.1'),
  ];
  const parsed = parseUpdate(encodeUpdate({ zone: ZONE, prerequisites, updates, additional: [OPT] }));
  assert.equal([formatName(parsed.zone.name), parsed.zone.type, parsed.zone.class], ['example.net.', 6, 1]);
  assert.equal(parsed.prerequisites.map(shown), prerequisites.map(shown));
  assert.equal(
    parsed.updates.map(shown),
    [{ ...mx, name: parseName('a.example.net.') }, ...updates.slice(1)].map(shown),
  );
  assert.is(parsed.version, 0);
  assert.is(parseUpdate(encodeUpdate({ zone: ZONE })).version, null);
});

test('a message that is cut anywhere is refused', () => {
  const message = encodeUpdate({
    zone: ZONE,
    prerequisites: [nxrrset('a.example.net.', 'A')],
    updates: [add('a.example.net.', 1, 'A', '192.0.2.1')],
    additional: [OPT],
  });
  assert.is(parseUpdate(message).updates.length, 1);
  for (let length = 12; length < message.length; length++)
    assert.throws(
      () => parseUpdate(message.subarray(0, length)),
      (error: unknown) => error instanceof InvalidError,
    );
});

test.run();
