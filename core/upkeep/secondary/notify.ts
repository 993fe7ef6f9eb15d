/** Answers NOTIFY from primaries (RFC 1996), after a check of the sender and the zone. */
import type { Logger } from '../../base/log/index.ts';
import { bareResponse } from '../../dns/wire/bare-response.ts';
import { AA, HEADER_LENGTH, QR } from '../../dns/wire/header.ts';
import { MessageReader } from '../../dns/wire/message-reader.ts';
import { equalNames, formatHost, type Name } from '../../dns/wire/name.ts';
import { type FindKey, verifyTsig } from '../../dns/wire/tsig.ts';
import { CLASS_IN, RCODE, TYPE } from '../../dns/wire/types.ts';
import type { AnswerDeferred } from '../../nameserver/deferred.ts';
import type { Id } from '../../store/keys.ts';
import type { Domain } from '../../store/rows.ts';
import type { StoreReader } from '../../store/store-reader.ts';
import type { HeldKey } from '../../store/tsig-keys/keyring.ts';
import { serialOf } from './transfer-stream.ts';

interface NotifyOptions {
  readonly reader: StoreReader;
  readonly findKey: FindKey<HeldKey>;
  /** The key of a primary, by its id. */
  readonly keyOf: (tsigKeyId: Id) => HeldKey | undefined;
  readonly log: Logger;
  /** Called for each accepted NOTIFY: see `SecondaryKeeper.notify`. */
  readonly notify: (domainId: Id, serial: number | null) => void;
}

interface Notice {
  readonly apex: Name;
  /** The serial of the SOA in the message, a hint (RFC 1996 section 3.7); null: none. */
  readonly serial: number | null;
}

export function notifyResponder({ reader, findKey, keyOf, log, notify }: NotifyOptions): AnswerDeferred {
  const keysOf: FindKey<HeldKey> = (name, algorithm, apex) => {
    // Primaries may have chosen the same name for different keys, so those of the zone come first.
    const ofPrimaries = (reader.domainByApex(apex)?.primaries ?? [])
      .flatMap(({ tsigKeyId }) => (tsigKeyId === null ? [] : (keyOf(tsigKeyId) ?? [])))
      .filter((key) => key.algorithm === algorithm && equalNames(key.name, name));
    return [...ofPrimaries, ...findKey(name, algorithm, apex)];
  };
  return async function* answer(request) {
    const seconds = Math.floor(Date.now() / 1000);
    const verdict = verifyTsig(request.message, keysOf, seconds);
    if (verdict.kind === 'error') {
      yield verdict.response();
      return;
    }
    const isSigned = verdict.kind === 'ok';
    const message = isSigned ? verdict.message : request.message;
    const key = isSigned ? verdict.key : null;
    if (isSigned) request.verified?.();
    const notice = readNotice(message);
    const domain = notice === null ? undefined : reader.domainByApex(notice.apex);
    let rcode: number = RCODE.NOERROR;
    if (notice === null) rcode = RCODE.FORMERR;
    else if (domain?.kind !== 'secondary') rcode = RCODE.NOTAUTH;
    else if (!isPrimary(domain, request.address, key)) {
      rcode = RCODE.REFUSED;
      log.debug('NOTIFY refused', { zone: formatHost(domain.apex), address: request.address });
    } else notify(domain.id, notice.serial);
    const response = bareResponse(message, rcode, verdict.opt);
    if (rcode === RCODE.NOERROR) response[2] |= AA;
    yield isSigned ? verdict.signer.sign(response, seconds) : response;
  };
}

function isPrimary({ primaries }: Domain, address: string, key: HeldKey | null): boolean {
  return primaries.some((primary) => primary.address === address || (key !== null && primary.tsigKeyId === key.row.id));
}

/** Null: the message is malformed. The serial is not validated, since it is only a hint. */
function readNotice(message: Uint8Array): Notice | null {
  const count = (at: number): number => (message[at] << 8) | message[at + 1];
  if (message.length < HEADER_LENGTH || (message[2] & QR) !== 0 || count(4) !== 1) return null;
  try {
    const reader = new MessageReader(message, HEADER_LENGTH);
    const apex = reader.name();
    if (reader.u16() !== TYPE.SOA || reader.u16() !== CLASS_IN) return null;
    if (count(6) === 0) return { apex, serial: null };
    const { name, type, rdata } = reader.record();
    return { apex, serial: type === TYPE.SOA && equalNames(name, apex) ? serialOf(rdata) : null };
  } catch {
    return null;
  }
}
