/**
 * The zone files of the test suites of BIND, Knot and PowerDNS: what a checker of a peer accepts is
 * imported, and its export is the same zone. WAYPOST_PEER_SOURCES is a folder with the unpacked
 * sources of the peers; without it, the test is skipped. bench/results/peers.json has the figures.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findCheckers } from '../../../admin-api/cli/zone/compare.ts';
import { openZone } from '../../../admin-api/cli/zone/source.ts';
import type { Owners } from '../../../admin-api/zones/records/zonefile/owners.ts';
import { readZone } from '../../../admin-api/zones/records/zonefile/prepare.ts';
import { formatMaster } from '../../../core/dns/wire/master/index.ts';
import { formatName, type Name, parseName } from '../../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../../core/dns/wire/types.ts';

const SOURCES = process.env.WAYPOST_PEER_SOURCES;
/** Larger files are no tests of the syntax. */
const MAX_FILE = 5 << 20;
/** Scripts, programs and output of programs. */
const NOT_A_ZONE = /\.(sh|py|pl|c|h|cc|hh|md|rst|yml|out|rpl|so|o)$|expected_result/;

/** Faults of files that a peer accepts, and that we cannot serve or that are no records. */
const EXPECTED: readonly RegExp[] = [
  /records of more than 200 types/,
  // Private type 65401 is ALIAS here.
  /not valid ALIAS content/,
  // Generic rdata that is wrong for its type, which Knot and NSD do not check.
  /The bytes are not valid \w+ content/,
  /the length after \\# says/,
  // Content of types that one peer checks less strictly.
  /(SVCB|NSAP|AMTRELAY) content/,
  // BIND allows KEY next to a CNAME.
  /A CNAME must be the only record at its name/,
];

function* filesIn(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (entry.isFile() && !NOT_A_ZONE.test(entry.name) && statSync(path).size <= MAX_FILE) yield path;
  }
}

/** Names that the zone of a file may have. */
function zonesOf(file: string, text: string): Set<string> {
  const origin = /^\$ORIGIN\s+(\S+)/im.exec(text)?.[1];
  const owner = /^([^\s;$()]+\.)\s[^;\n]*\bSOA\b/im.exec(text)?.[1];
  const stem = basename(file)
    .replace(/\.(in|db|zone|signed|missing|valid|invalid|all)$/, '')
    .replace(/\.(db|zone)$/, '');
  const names = [origin, owner, stem, 'example', 'example.com', '.'].filter((name) => name !== undefined);
  return new Set(names.map((name) => (name === '.' ? name : name.replace(/\.$/, ''))));
}

function* recordsOf(owners: Owners): Generator<ResourceRecord> {
  for (const { name, sets } of owners)
    for (const { type, ttl, rdatas } of sets) for (const rdata of rdatas) yield { name, type, ttl, rdata };
}

const texts = (owners: Owners): string[] =>
  [...recordsOf(owners)].map(({ name, type, ttl, rdata }) => {
    return `${formatName(name)} ${ttl} ${type} ${Buffer.from(rdata).toString('hex')}`;
  });

const read = (bytes: Uint8Array, apex: Name) => readZone({ bytes, apex, keepApex: true, strict: false });

if (SOURCES === undefined) console.log('Skipped: WAYPOST_PEER_SOURCES is not set.');
else
  for (const checker of findCheckers())
    test(`zones that ${checker.program} accepts are imported and exported`, async () => {
      let accepted = 0;
      let imported = 0;
      const unexpected: string[] = [];
      for (const file of filesIn(SOURCES)) {
        const text = readFileSync(file, 'latin1');
        if (!/\bSOA\b/.test(text)) continue;
        for (const zone of zonesOf(file, text)) {
          if (!(await checker.check({ file, zone })).loads) continue;
          accepted++;
          const apex = parseName(zone);
          const { bytes } = await openZone({ file, zone });
          const { owners, errors } = read(bytes!, apex);
          for (const { line, message } of errors)
            if (!EXPECTED.some((expected) => expected.test(message))) unexpected.push(`${file}:${line} ${message}`);
          if (errors.length > 0) break;
          imported++;
          const soa = { name: apex, type: TYPE.SOA, ttl: 60, rdata: new Uint8Array(22) };
          const again = read(Buffer.from([...formatMaster(apex, [soa, ...recordsOf(owners)])].join('')), apex);
          assert.equal([again.errors, texts(again.owners)], [[], texts(owners)], file);
          break;
        }
      }
      console.log(`${checker.program}: accepts ${accepted} files, of which ${imported} are imported`);
      assert.equal(unexpected, []);
      assert.ok(accepted > 0);
    });

test.run();
