/**
 * Queries with DO in the middle of a publication: after each of its steps, every response is that
 * of the state before or after, and its NSEC3 records prove it.
 */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSecrets } from '../../../../core/base/secrets.ts';
import { equalNames, formatName, type Name, parseName } from '../../../../core/dns/wire/name.ts';
import { RCODE, TYPE } from '../../../../core/dns/wire/types.ts';
import { Signers } from '../../../../core/journal/apply/signers.ts';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../../core/journal/embedded-journal.ts';
import type { Journal } from '../../../../core/journal/journal.ts';
import { LmdbNodeStore } from '../../../../core/nameserver/node-store.ts';
import { type Environment, openEnvironment } from '../../../../core/store/environment.ts';
import { countLabels } from '../../../../core/store/index/layout.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { dnssec, domains, type RecordRow, records } from '../../../../core/store/rows.ts';
import { Proofs, readNsec3 } from '../../../reference/denial.ts';
import { SignedRows } from '../../../reference/signed-rows.ts';
import { depth } from '../../../support/depth.ts';
import { QueryPath } from '../../../support/in-process.ts';
import { decodeMessage, encodeQuery, type Message } from '../../../support/message.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { addressRecord, DEFAULTS, newDomain } from '../../journal/fixture.ts';
import { RecordedIndex } from './recorded-index.ts';

const UDP = 1232;
const HOSTS = 4;
/** Names that are never there, of which each NSEC3 record covers some. */
const MISSING = 8;
const TYPES = [TYPE.A, TYPE.TXT, TYPE.DS];
const MANY = 8;
/** Offset in the rdata of RRSIG (RFC 4034 section 3.1). */
const LABELS_AT = 3;
/** Bytes: with room for all, for some NSEC3 entries, for none. */
const ARENAS = [4 << 20, 12 << 10, 0].slice(0, depth({ quick: 2, moderate: 3, full: 3 }));
const ROUNDS = depth({ quick: 1, moderate: 1, full: 5 });
const CLOCK = 1_800_000_000;

const domain = newDomain('zone.test.');
const row = (name: string, fields: Partial<RecordRow> = {}): RecordRow => ({
  ...addressRecord(domain, name),
  ...fields,
});
const text = (name: string): RecordRow => row(name, { type: TYPE.TXT, rdata: Buffer.from('\x01t') });
const delegation = (name: string): RecordRow => row(name, { type: TYPE.NS, rdata: parseName('ns.other.test.') });
const digest = (name: string): RecordRow => row(name, { type: TYPE.DS, rdata: Buffer.alloc(36, 1) });
const put = (draft: Draft, ...rows: readonly RecordRow[]): void => {
  for (const added of rows) draft.put(records, added);
};
const remove = (draft: Draft, ...rows: readonly RecordRow[]): void => {
  for (const removed of rows) draft.delete(records, removed);
};

const NAMES = [
  ...['@', 'flip', 'flap', 'x.flip', 'c', 'b.c', 'a.b.c', 'b.b.c', 'd.c', 'wild', 'y.wild', 'cut', 'z.cut'],
  ...Array.from({ length: HOSTS }, (_, i) => `host${i}`),
  ...Array.from({ length: MISSING }, (_, i) => `missing${i}`),
  ...Array.from({ length: MANY }, (_, i) => `many${i}`),
  // Below a DNAME.
  ...['flip.old', 'host1.old', 'many0.old', 'missing0.old'],
];

const dname = row('old', { type: TYPE.DNAME, rdata: domain.apex });
const flip = row('flip');
const many = Array.from({ length: MANY }, (_, i) => row(`many${i}`));
const deep = row('a.b.c');
const other = text('host1');
const wildcard = row('*.wild');
const cut = delegation('cut');
const signedCut = digest('cut');
const flap = text('flap');
const deeper = row('b.b.c');

const test = suite('queries while a change is published');

for (const arena of ARENAS)
  test(`an arena of ${arena} bytes`, async () => {
    const folder = temporaryFolder('publishing');
    const environment = openEnvironment(folder);
    const index = new IndexWriter(arena);
    const recorded = new RecordedIndex(index);
    const keyFile = join(folder, 'secret.key');
    const signers = new Signers(openSecrets(keyFile));
    const options = { environment, zoneSettings: DEFAULTS, history: 100, signers };
    const journal = openEmbeddedJournal({ ...options, index: recorded.writer });
    const store = new LmdbNodeStore(folder);
    const stepper = new Stepper(environment, journal, recorded, new QueryPath(index, store));
    const hosts = Array.from({ length: HOSTS }, (_, i) => row(`host${i}`));
    const rows = new SignedRows(keyFile);
    const signing = rows.sign(domain, 1, CLOCK);
    await stepper.commit((draft) => {
      draft.put(domains, domain);
      put(draft, ...hosts, dname);
    });
    await stepper.check('signing', (draft) => draft.put(dnssec, signing));
    for (let round = 0; round < ROUNDS; round++) {
      await stepper.check('a name appears', (draft) => put(draft, flip));
      await stepper.check('a type appears', (draft) => put(draft, other));
      await stepper.check('many names appear', (draft) => put(draft, ...many));
      await stepper.check('empty non-terminals appear', (draft) => put(draft, deep));
      await stepper.check('a wildcard appears', (draft) => put(draft, wildcard));
      await stepper.check('a delegation appears', (draft) => put(draft, cut));
      await stepper.check('a DS appears', (draft) => put(draft, signedCut));
      await stepper.check('names are exchanged', (draft) => {
        remove(draft, flip, deep, ...many.slice(0, MANY / 2));
        put(draft, flap, deeper);
      });
      await stepper.check('names are exchanged again', (draft) => {
        put(draft, flip, deep);
        remove(draft, flap, deeper);
      });
      await stepper.check('a DS disappears', (draft) => remove(draft, signedCut));
      await stepper.check('all disappear', (draft) =>
        remove(draft, flip, other, cut, wildcard, deep, ...many.slice(MANY / 2)),
      );
    }
    await stepper.check('the clock advances', (draft) =>
      draft.put(dnssec, rows.advance(domain.id, CLOCK + 30 * 86_400)),
    );
    await store.close();
    await journal.close();
    await environment.close();
    removeFolder(folder);
  });

class Stepper {
  readonly #environment: Environment;
  readonly #journal: Journal;
  readonly #recorded: RecordedIndex;
  readonly #path: QueryPath;
  readonly #packets: readonly Uint8Array[];
  /** Responses of the current change: most are the same after several of its steps. */
  readonly #read = new Map<string, { readonly content: string; isChecked: boolean }>();

  constructor(environment: Environment, journal: Journal, recorded: RecordedIndex, path: QueryPath) {
    this.#environment = environment;
    this.#journal = journal;
    this.#recorded = recorded;
    this.#path = path;
    this.#packets = NAMES.flatMap((name) =>
      TYPES.map((type) => {
        const edns = { version: 0, size: UDP, do: true };
        const owner = name === '@' ? domain.apex : parseName(name, domain.apex);
        return encodeQuery({ name: owner, type, class: 1, edns }, 1);
      }),
    );
  }

  commit(change: (draft: Draft) => void): Promise<unknown> {
    return write(this.#environment, this.#journal, 'test', change);
  }

  /** Commits a change, and publishes it in steps. */
  async check(what: string, change: (draft: Draft) => void): Promise<void> {
    const recorded = this.#recorded;
    this.#read.clear();
    const before = this.#contents();
    recorded.changes.length = 0;
    recorded.isHeld = true;
    await this.commit(change);
    recorded.isHeld = false;
    const inBetween: string[][] = [this.#contents(what)];
    for (const { method, run } of [...recorded.changes]) {
      run();
      inBetween.push(this.#contents(`${what}, after ${method}`));
    }
    const after = this.#contents(what);
    this.#packets.forEach((_, i) => {
      for (const contents of inBetween)
        assert.ok([before[i], after[i]].includes(contents[i]), `${what}: ${contents[i]}`);
    });
    assert.not.equal(recorded.changes.length, 0);
    this.#checkSerials(what);
  }

  /** Negative responses have the SOA of the apex as it is now. */
  #checkSerials(what: string): void {
    const soaOf = (name: Name, type: number): string[] => {
      const packet = encodeQuery({ name, type, class: 1, edns: { version: 0, size: UDP, do: true } }, 1);
      const { answer, authority } = decodeMessage(this.#path.answer(packet, UDP)!);
      const entries = [...answer, ...authority].filter((found) => found.type === TYPE.SOA);
      return entries.map(({ rdata }) => Buffer.from(rdata).toString('hex'));
    };
    const current = soaOf(domain.apex, TYPE.SOA);
    assert.is(current.length, 1);
    for (const name of ['missing0', 'host0', 'host1'])
      assert.equal(soaOf(parseName(name, domain.apex), TYPE.MX), current, `${what}: ${name}`);
  }

  /** What the responses say. `when`: they must be proven. */
  #contents(when = ''): string[] {
    return this.#packets.map((packet) => {
      const response = this.#path.answer(packet, UDP)!;
      const bytes = Buffer.from(response).toString('latin1');
      let read = this.#read.get(bytes);
      if (read === undefined) {
        read = { content: contentOf(decodeMessage(response)), isChecked: false };
        this.#read.set(bytes, read);
      }
      if (when === '' || read.isChecked) return read.content;
      const message = decodeMessage(response);
      try {
        // While the zone is being signed, only some names of a chain have signatures.
        const isMixed = when.startsWith('signing') && message.answer.some(({ type }) => type === TYPE.CNAME);
        if (!isMixed) checkProofs(message);
      } catch (error) {
        throw new Error(`${when}: ${read.content}`, { cause: error });
      }
      read.isChecked = true;
      return read.content;
    });
  }
}

/** The records that are not of DNSSEC; of the SOA that it is there, since the serial changes. */
function contentOf({ rcode, question, answer, authority }: Message): string {
  const name = formatName(question.subarray(0, -4));
  const sections = [answer, authority].map((entries) =>
    entries
      .filter(({ type }) => type !== TYPE.RRSIG && type !== TYPE.NSEC3)
      .map(({ name: label, type, rdata }) => {
        const data = type === TYPE.SOA ? '' : Buffer.from(rdata).toString('hex');
        return `${formatName(label)} ${type} ${data}`;
      }),
  );
  return `${name} ${question[question.length - 3]}: ${rcode} ${JSON.stringify(sections)}`;
}

/** Throws if the NSEC3 records of a response do not prove what it says. */
function checkProofs({ rcode, question, answer, authority }: Message): void {
  assert.is.not(rcode, RCODE.SERVFAIL);
  const aliases = answer.filter(({ type }) => type === TYPE.CNAME);
  const name = aliases.at(-1)?.rdata ?? question.subarray(0, -4);
  const found = answer.filter((record) => equalNames(record.name, name));
  const signatures = [...answer, ...authority].filter(({ type }) => type === TYPE.RRSIG);
  // The zone is not signed yet.
  if (signatures.length === 0) return;
  const proofs = new Proofs(domain.apex, authority.filter(({ type }) => type === TYPE.NSEC3).map(readNsec3));
  if (rcode === RCODE.NXDOMAIN) proofs.nameError(name);
  else if (found.length > 0) {
    const labels = found.find(({ type }) => type === TYPE.RRSIG)!.rdata[LABELS_AT];
    if (labels < countLabels(name, 0)) proofs.expansion(name, labels);
  } else if (authority.some(({ type }) => type === TYPE.SOA)) proofs.noData(name, question[question.length - 3]);
  else if (authority.every(({ type }) => type !== TYPE.DS)) proofs.unsignedReferral(authority[0].name);
}

test.run();
