/**
 * RRsets of a signed zone that do not fit into a message or a node: queries get SERVFAIL, and
 * transfers have them with their signatures.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { equalNames, parseName } from '../../../../core/dns/wire/name.ts';
import { RCODE, type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import { Signers } from '../../../../core/journal/apply/signers.ts';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import { dnssec, domains, type RecordRow, records } from '../../../../core/store/rows.ts';
import { readNsec3 } from '../../../reference/denial.ts';
import { decodeMessage, encodeQuery, type Message } from '../../../support/message.ts';
import { applyIxfr, serialOf, transferRequest, zoneText } from '../../../support/transfer-client.ts';
import { isSigned } from '../../dns/dnssec/reference.ts';
import { newDomain, newRecord, queryPath } from '../../journal/fixture.ts';
import { newRow, secretsOf } from '../../journal/signing/rig.ts';
import { withTransfers } from './fixture.ts';

const APEX = 'zone.test.';
const LENGTH = 250;
/** More than a message has room for. */
const TOO_MANY = 300;
/** As many as fit into a message; so many types do not fit into a node. */
const MANY = 220;
const PRIVATE_TYPES = Array.from({ length: 10 }, (_, i) => 65_300 + i);

const domain = newDomain(APEX);

function rowsOf(name: string, type: number, count: number): RecordRow[] {
  return Array.from({ length: count }, (_, i) => {
    const rdata = Buffer.alloc(LENGTH + 1);
    rdata.writeUInt16BE(i, 1);
    rdata[0] = LENGTH;
    return newRecord(domain, name, type, rdata);
  });
}

/** Fails unless each RRset at a name has one signature that the key of the zone has made. */
function checkSigned(label: string, types: readonly number[], whole: readonly ResourceRecord[]): void {
  const owner = parseName(label, domain.apex);
  const key = whole.find(({ type }) => type === TYPE.DNSKEY)!.rdata;
  const own = whole.filter(({ name }) => equalNames(name, owner));
  for (const type of types) {
    const set = own.filter((record) => record.type === type);
    const signatures = own.filter(
      (record) => record.type === TYPE.RRSIG && ((record.rdata[0] << 8) | record.rdata[1]) === type,
    );
    assert.is(signatures.length, 1, `${label} ${type}`);
    const rrset = { owner, type, ttl: set[0].ttl, rdatas: set.map(({ rdata }) => rdata) };
    assert.ok(isSigned(rrset, signatures[0].rdata, key), `${label} ${type}`);
  }
}

test('oversized RRsets are signed in transfers', () =>
  withTransfers(
    async ({ store, records: transfer }) => {
      const { environment, journal } = store;
      const commit = (work: (draft: Draft) => void): Promise<unknown> => write(environment, journal, 'test', work);
      const large = rowsOf('large', TYPE.TXT, TOO_MANY);
      const rows = [...large, ...PRIVATE_TYPES.flatMap((type) => rowsOf('types', type, MANY))];
      await commit((draft) => {
        draft.put(domains, domain);
        for (const row of rows) draft.put(records, row);
        draft.put(dnssec, newRow(store, domain));
      });
      const { answer, close } = queryPath(store);
      const ask = (label: string, type: number): Message => {
        const query = {
          name: parseName(label, domain.apex),
          type,
          class: 1,
          edns: { version: 0, size: 1232, do: true },
        };
        return decodeMessage(answer(encodeQuery(query, 1), 65_535)!);
      };
      let whole = await transfer(transferRequest(APEX));
      checkSigned('large', [TYPE.TXT], whole);
      checkSigned('types', PRIVATE_TYPES, whole);
      const failed = PRIVATE_TYPES.filter((type) => ask('types', type).rcode === RCODE.SERVFAIL);
      assert.ok(failed.length > 0 && failed.length < PRIVATE_TYPES.length, `${failed}`);
      for (const { rcode, answer: found, authority, header } of [ask('large', TYPE.TXT), ask('types', failed[0])]) {
        assert.is(rcode, RCODE.SERVFAIL);
        assert.not(header.aa);
        assert.equal([...found, ...authority], []);
      }
      // The type exists.
      const { rcode, authority } = ask('large', TYPE.MX);
      assert.is(rcode, RCODE.NOERROR);
      const [proof] = authority.filter(({ type }) => type === TYPE.NSEC3).map(readNsec3);
      assert.equal([...proof.types], [TYPE.TXT, TYPE.RRSIG]);
      // A difference has the new signature.
      const serial = serialOf(whole[0]);
      const before = zoneText(whole);
      await commit((draft) => draft.delete(records, large[7]));
      const difference = await transfer(transferRequest(APEX, serial));
      assert.is(difference[1].type, TYPE.SOA);
      whole = await transfer(transferRequest(APEX));
      checkSigned('large', [TYPE.TXT], whole);
      assert.equal(applyIxfr(before, difference), zoneText(whole));
      await close();
    },
    { signersOf: (folder) => new Signers(secretsOf(folder)) },
  ));

test.run();
