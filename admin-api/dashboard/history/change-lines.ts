/** Formats a change of a domain as lines of text. */
import type { CommentChange, DomainChange, RecordChange } from '../api/views.ts';
import { zoneLine } from '../records/zone-line.ts';
import { TEXTS } from '../texts.ts';

/** Null: the line does not exist before or after the change. */
interface ChangeLine {
  readonly before: string | null;
  readonly after: string | null;
}

export const recordLine = ({ before, after }: RecordChange): ChangeLine => ({
  before: before && zoneLine(before),
  after: after && zoneLine(after),
});

export const commentLine = ({ name, type, before, after }: CommentChange): ChangeLine => ({
  before: before && TEXTS.history.comment(name, type, before),
  after: after && TEXTS.history.comment(name, type, after),
});

/** The changed settings of proxy and DNSSEC. */
export function settingLines({ proxy, dnssec }: DomainChange): ChangeLine[] {
  return [
    ...(proxy === null ? [] : differences(proxyLines(proxy.before), proxyLines(proxy.after))),
    ...(dnssec === null ? [] : differences(dnssecLines(dnssec.before), dnssecLines(dnssec.after))),
  ];
}

const differences = (before: readonly string[], after: readonly string[]): ChangeLine[] =>
  after.map((line, i) => ({ before: before[i], after: line })).filter((line) => line.before !== line.after);

type PastProxy = NonNullable<DomainChange['proxy']>['after'];
type PastDnssec = NonNullable<DomainChange['dnssec']>['after'];

/** Null: the proxy was never configured, which equals all defaults. */
function proxyLines(proxy: PastProxy): string[] {
  const texts = TEXTS.history.proxy;
  return [
    proxy?.is_enabled ? texts.on : texts.off,
    texts.origin(originOf(proxy)),
    texts.hsts(proxy?.hsts_max_age ?? null),
    texts.subdomains(proxy?.hsts_include_subdomains ?? false),
    texts.preload(proxy?.hsts_preload ?? false),
    texts.heuristics(proxy?.heuristics ?? 'static'),
    texts.forwarded(proxy?.forwarded_header ?? true),
    texts.lenient(proxy?.lenient_responses ?? false),
  ];
}

function originOf(proxy: PastProxy): string {
  if (proxy == null || proxy.origin_host === null) return TEXTS.history.proxy.noOrigin;
  const { origin_host: host, origin_port: port, origin_protocol: protocol } = proxy;
  return `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function dnssecLines(dnssec: PastDnssec): string[] {
  const texts = TEXTS.history.dnssec;
  return [
    dnssec?.is_enabled ? texts.on(dnssec.algorithm) : texts.off,
    texts.keys(dnssec?.keys ?? 0, dnssec?.foreign_keys ?? 0),
  ];
}
