import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode } from 'dns-packet';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mixLoad, randomSubdomainLoad, uniformLoad, writeQueries } from '../../../bench/dns/queries.ts';
import { FRESH_LABEL, HEADER, readQueryFile, SLOT_HEAD } from '../../../bench/dns/query-file.ts';
import { bigZones, mixZones } from '../../../bench/dns/zones.ts';
import { parseMaster } from '../../../core/dns/wire/master/index.ts';
import { formatName, parseName } from '../../../core/dns/wire/name.ts';
import { RCODE } from '../../../core/dns/wire/types.ts';

const queries = suite('queries');
let folder = '';
queries.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'queries-'));
});
queries.after.each(() => rmSync(folder, { recursive: true, force: true }));

/** Every slot of a file: what is expected, and the message as another decoder reads it. */
function slots(path: string) {
  const { bytes, stride, count } = readQueryFile(path);
  return Array.from({ length: count }, (_, i) => {
    const at = HEADER + i * stride;
    const message = decode(bytes.subarray(at + SLOT_HEAD, at + SLOT_HEAD + bytes.readUInt16LE(at)));
    const [question] = message.questions!;
    return { rcode: bytes[at + 2], flags: bytes[at + 3], ancount: bytes.readUInt16LE(at + 4), message, question };
  });
}

queries('the mix has the shares that it promises, all distinct', () => {
  const all = slots(writeQueries(mixLoad(mixZones(5)), folder).packed);
  assert.is(all.length, 1000);
  assert.is(new Set(all.map(({ question }) => `${question.name} ${question.type}`)).size, 1000);
  const share = (type: string, rcode: number) =>
    all.filter((slot) => slot.question.type === type && slot.rcode === rcode).length;
  assert.is(share('A', RCODE.NXDOMAIN), 100);
  assert.is(share('A', RCODE.NOERROR), 500 + 50 + 50);
  assert.is(share('AAAA', RCODE.NOERROR), 200);
  assert.is(share('MX', RCODE.NOERROR), 50);
  assert.is(share('NS', RCODE.NOERROR), 50);
});

queries('what the mix expects to be answered stands in the zones', () => {
  const set = mixZones(2);
  const owners = new Set<string>();
  for (let i = 0; i < set.zones; i++) {
    const { records, errors } = parseMaster(Buffer.from(set.zoneText(i)), { origin: parseName(set.zoneName(i)) });
    assert.equal(errors, []);
    assert.is(records.length, set.records);
    for (const record of records) owners.add(formatName(record.name).slice(0, -1));
  }
  for (const { question, rcode } of slots(writeQueries(mixLoad(set), folder).packed)) {
    const wild = question.name.replace(/^[^.]+\.wild\./, '*.wild.');
    assert.is(owners.has(wild), rcode === RCODE.NOERROR, question.name);
  }
});

queries('the uniform load asks for each name once', () => {
  const set = bigZones(3, 10);
  const names = slots(writeQueries(uniformLoad(set), folder).packed).map(({ question }) => question.name);
  assert.is(names.length, 30);
  assert.is(new Set(names).size, 30);
  assert.ok(names.includes('n0009.big00002.example'));
});

queries('random sub-domains are marked to be written anew, and differ in the text', () => {
  const set = bigZones(3, 10);
  const load = { ...randomSubdomainLoad(set), count: 50 };
  const files = writeQueries(load, folder);
  for (const slot of slots(files.packed)) {
    assert.is(slot.flags, FRESH_LABEL);
    assert.is(slot.rcode, RCODE.NXDOMAIN);
    assert.match(slot.question.name, /^x{12}\.big0000[012]\.example$/);
  }
  const lines = readFileSync(files.text, 'latin1').split('\n', 1000);
  assert.is(new Set(lines).size, 1000);
  assert.match(lines[0], /^[a-z2-7]{12}\.big0000[012]\.example A$/);
});

queries('EDNS adds an OPT record to each query', () => {
  const load = uniformLoad(bigZones(1, 5));
  const without = slots(writeQueries(load, folder).packed);
  const withIt = slots(writeQueries(load, folder, true).packed);
  assert.ok(without.every(({ message }) => message.additionals!.length === 0));
  assert.ok(withIt.every(({ message }) => message.additionals!.length === 1 && message.additionals![0].type === 'OPT'));
});

queries('a file that is cut off is refused', () => {
  const { packed } = writeQueries(uniformLoad(bigZones(1, 5)), folder);
  truncateSync(packed, readFileSync(packed).length - 1);
  assert.throws(() => readQueryFile(packed), /not a complete query file/);
});

queries.run();
