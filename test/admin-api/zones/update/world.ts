/** Zones and TSIG keys of a daemon in this process, and a client that signs its updates. */

import { randomBytes } from 'node:crypto';
import { openSecrets } from '../../../../core/base/secrets.ts';
import { typeName } from '../../../../core/dns/wire/mnemonics.ts';
import { formatRelative, parseName } from '../../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { isSignedResponse, signRequest, type TsigAlgorithm, type TsigKey } from '../../../../core/dns/wire/tsig.ts';
import { RCODE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { type Domain, type TsigKeyRow, tsigContext, tsigKeys } from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { newId } from '../../../support/ids.ts';
import { encodeUpdate, type UpdateParts } from '../../../support/update-message.ts';
import { type Daemon, startDaemon } from '../../daemon.ts';

export interface Key extends TsigKey {
  readonly row: TsigKeyRow;
}

/** Response codes by their names in RFC 2136. */
const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(RCODE).map(([name, code]) => [code, name]));
export const rcodeOf = (response: Uint8Array): string => NAMES.get(response[3] & 15) ?? String(response[3] & 15);

export class World {
  readonly daemon: Daemon;
  readonly reader: StoreReader;
  /** Number of verified messages. */
  verified = 0;
  #zones = 0;

  private constructor(daemon: Daemon) {
    this.daemon = daemon;
    this.reader = new StoreReader(daemon.environment);
  }

  /** Id of the administrator's account. */
  get admin(): number {
    return this.reader.accountByLogin('admin')?.id ?? 0;
  }

  static async start(settings: Record<string, string> = {}): Promise<World> {
    return new World(await startDaemon('auto', settings));
  }

  /** `token`: of the owner; omitted: of the administrator. */
  async zone(token?: string, name = `z${++this.#zones}.example.net`): Promise<Domain> {
    const { body } = await this.daemon.call('POST', '/api/v1/domains', { json: { domain: name }, token });
    const domain = this.reader.domain(Number(body.domain.id));
    if (domain === undefined) throw new Error(JSON.stringify(body));
    return domain;
  }

  async key(accountId: number, more: Partial<TsigKeyRow> = {}): Promise<Key> {
    const { environment, journal, keyFile } = this.daemon;
    const id = newId();
    const name = `key${id}`;
    const algorithm: TsigAlgorithm = 'hmac-sha256';
    const secret = randomBytes(32);
    const sealed = openSecrets(keyFile).seal(secret, tsigContext(id)).toString('base64');
    const createdAt = 1_700_000_000;
    const row = { id, accountId, name, algorithm, sealed, scopes: ['dns'], domains: null, createdAt, ...more };
    await write(environment, journal, String(accountId), (draft) => draft.put(tsigKeys, row));
    return { name: parseName(`${row.name}.`), algorithm, secret, row };
  }

  async remove(key: Key): Promise<void> {
    const { environment, journal } = this.daemon;
    await write(environment, journal, String(key.row.accountId), (draft) => draft.delete(tsigKeys, key.row));
  }

  /** The records of a zone as text, sorted: owner, TTL, type, content. */
  records(domain: Domain): string[] {
    return this.reader
      .recordsOf(domain.id, null)
      .map(({ name, ttl, type, rdata }) =>
        [formatRelative(name, domain.apex), ttl, typeName(type), formatRdata(type, rdata)].join(' '),
      )
      .sort();
  }

  /** All responses to a message; empty: silence. */
  async send(message: Uint8Array): Promise<Uint8Array[]> {
    const { signal } = new AbortController();
    const verified = (): void => void this.verified++;
    const request = {
      message,
      address: '192.0.2.7',
      port: 4242,
      transport: 'tcp',
      cancelled: signal,
      verified,
    } as const;
    const messages: Uint8Array[] = [];
    for await (const response of this.daemon.api.update(request)) messages.push(response);
    return messages;
  }

  /** Signs a message, sends it, verifies the signature of the response, and returns it. */
  async signed(key: TsigKey, message: Uint8Array): Promise<Uint8Array> {
    const now = Math.floor(Date.now() / 1000);
    const request = signRequest(message, key, now);
    const [response, ...more] = await this.send(request.message);
    if (more.length > 0 || response === undefined) throw new Error(`${more.length + 1} answers`);
    if (!isSignedResponse(response, key, request.mac, now)) throw new Error(`unsigned: ${rcodeOf(response)}`);
    return response;
  }

  /** The name of the response code. Ids differ, so no two updates are the same message. */
  async update(key: TsigKey, parts: UpdateParts): Promise<string> {
    return rcodeOf(await this.signed(key, encodeUpdate({ id: randomBytes(2).readUInt16BE(), ...parts })));
  }

  stop(): Promise<void> {
    return this.daemon.stop();
  }
}
