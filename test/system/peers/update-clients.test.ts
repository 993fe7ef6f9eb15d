/**
 * Clients that write DNS for others: certbot's RFC 2136 plugin, and dnspython, by which octoDNS
 * writes, too. They are Debian's packages, driven from Python.
 */
import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName } from '../../../core/dns/wire/name.ts';
import type { Domain } from '../../../core/store/rows.ts';
import type { Key } from '../../admin-api/zones/update/world.ts';
import { startChild } from '../../support/child.ts';
import { startUpdateServer, type UpdateServer } from './update-server.ts';

const PYTHON = '/usr/bin/python3';
const MODULES = '/usr/lib/python3/dist-packages';

/**
 * Why tests with a module of Python are left out, or null. With WAYPOST_REQUIRE_PEERS=1 a missing
 * one is an error.
 */
function whyNot(module: string): string | null {
  if (existsSync(PYTHON) && existsSync(`${MODULES}/${module}`)) return null;
  if (process.env.WAYPOST_REQUIRE_PEERS === '1')
    throw new Error(`Python's ${module} is not installed, and peers are required.`);
  return `Python's ${module} is not installed`;
}
const noCertbot = whyNot('certbot_dns_rfc2136');
const noDnspython = whyNot('dns');

const test = suite('clients of dynamic update');
let server: UpdateServer;
let key: Key;
test.before(async () => {
  if (noCertbot !== null && noDnspython !== null) return;
  server = await startUpdateServer();
  key = await server.world.key(server.world.admin, { name: 'acme.key', algorithm: 'hmac-sha512' });
});
test.after(() => server?.stop());

/** Runs a script with `port`, `name`, `secret` and `zone` set; its last line. */
async function python(script: string, domain: Domain): Promise<string> {
  const secret = Buffer.from(key.secret).toString('base64');
  const args = [`${server.port}`, key.row.name, secret, formatName(domain.apex)];
  const head = 'import sys\nport, name, secret, zone = int(sys.argv[1]), *sys.argv[2:]\n';
  const child = startChild(PYTHON, ['-c', head + script, ...args]);
  const code = await child.ended();
  assert.is(code, 0, child.output());
  return child.output().trim().split('\n').pop() ?? '';
}

const recordsOf = (domain: Domain): string[] => server.world.records(domain);

const CERTBOT = `
import dns.tsig
from certbot_dns_rfc2136._internal.dns_rfc2136 import _RFC2136Client
client = _RFC2136Client("127.0.0.1", port, name, secret, dns.tsig.HMAC_SHA512)
challenge = "_acme-challenge.www." + zone.rstrip(".")
`;

test('certbot finds its zone, adds its challenges, two at one name, and deletes them', async () => {
  if (noCertbot !== null) return;
  const domain = await server.world.zone();
  await python(
    `${CERTBOT}client.add_txt_record(challenge, "one", 120)\nclient.add_txt_record(challenge, "two", 120)`,
    domain,
  );
  assert.equal(recordsOf(domain), ['_acme-challenge.www 120 TXT "one"', '_acme-challenge.www 120 TXT "two"']);
  await python(`${CERTBOT}client.del_txt_record(challenge, "one")`, domain);
  assert.equal(recordsOf(domain), ['_acme-challenge.www 120 TXT "two"']);
  await python(`${CERTBOT}client.del_txt_record(challenge, "two")\nclient.del_txt_record(challenge, "two")`, domain);
  assert.equal(recordsOf(domain), []);
});

test('certbot reports the reason of a refusal', async () => {
  if (noCertbot !== null) return;
  const { id, token } = await server.world.daemon.account('someone');
  assert.ok(id);
  const theirs = await server.world.zone(token, 'someone.example.org');
  const attempt = `${CERTBOT}
from certbot.errors import PluginError
try:
    client.add_txt_record(challenge, "one", 120)
    print("added")
except PluginError as error:
    print(error)
`;
  assert.match(await python(attempt, theirs), /NOTAUTH/);
  assert.equal(recordsOf(theirs), []);
});

const DNSPYTHON = `
import dns.message, dns.query, dns.rcode, dns.tsig, dns.tsigkeyring, dns.update
keyring = dns.tsigkeyring.from_text({name: secret})
update = dns.update.Update(zone, keyring=keyring, keyalgorithm=dns.tsig.HMAC_SHA512)
def send(over):
    # The signature of the response is verified.
    answer = over(update, "127.0.0.1", port=port, timeout=10)
    assert answer.had_tsig and answer.tsig_error == 0
    print(dns.rcode.to_text(answer.rcode()))
`;

for (const transport of ['udp', 'tcp'] as const)
  test(`dnspython replaces sets, with compressed names, over ${transport}`, async () => {
    if (noDnspython !== null) return;
    const domain = await server.world.zone();
    const apex = formatName(domain.apex);
    const send = `send(dns.query.${transport})`;
    const script = `${DNSPYTHON}
update.use_edns(0)
update.present("@", "SOA")
update.absent("www")
update.replace("www", 300, "A", "192.0.2.1", "192.0.2.2")
update.add("@", 300, "MX", "10 mail." + zone)
update.add("@", 300, "MX", "20 MAIL2." + zone)
update.add("naptr", 60, "NAPTR", '1 2 "S" "SIP+D2U" "" _sip._udp.' + zone)
update.add("sub", 60, "DNAME", "other." + zone)
update.add("long", 60, "TXT", '"' + "x" * 255 + '" "' + "y" * 255 + '"')
`;
    assert.is(await python(script + send, domain), 'NOERROR');
    assert.equal(recordsOf(domain), [
      `@ 300 MX 10 mail.${apex}`,
      `@ 300 MX 20 mail2.${apex}`,
      `long 60 TXT "${'x'.repeat(255)}" "${'y'.repeat(255)}"`,
      `naptr 60 NAPTR 1 2 "S" "SIP+D2U" "" _sip._udp.${apex}`,
      `sub 60 DNAME other.${apex}`,
      'www 300 A 192.0.2.1',
      'www 300 A 192.0.2.2',
    ]);
    assert.is(await python(script + send, domain), 'YXDOMAIN');
    const before = server.world.daemon.writes();
    const replace = `${DNSPYTHON}update.replace("www", 60, "A", "192.0.2.2", "192.0.2.3")\nupdate.delete("long")\n${send}`;
    assert.is(await python(replace, domain), 'NOERROR');
    assert.equal(recordsOf(domain).slice(-3), [
      `sub 60 DNAME other.${apex}`,
      'www 60 A 192.0.2.2',
      'www 60 A 192.0.2.3',
    ]);
    assert.is(server.world.daemon.writes(), before + 1);
    assert.is(await python(replace, domain), 'NOERROR');
    assert.is(server.world.daemon.writes(), before + 1, 'the same again is no change');
  });

test.run();
