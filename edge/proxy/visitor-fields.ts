/**
 * The fields and trailers of a response as the visitor gets them. The result for a recurring list
 * is kept with the list, with what it depends on.
 */
import type { VisitedSite } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { derivedOf, markRecurring } from '../http/exchange/recurring-fields.ts';
import type { OriginPlace } from '../origin/spellings.ts';
import type { Site } from '../sites/site.ts';
import type { RequestRules } from './request-fields.ts';
import { responseFields, responseTrailers } from './response-fields.ts';

/** The cached result for a recurring list, with its inputs. */
class VisitorFields {
  constructor(
    readonly site: Site,
    readonly scheme: string,
    readonly authority: string,
    readonly rules: RequestRules,
    readonly identity: OriginPlace | undefined,
    readonly cacheStatus: string,
    readonly fields: FieldList,
  ) {}

  isFor(
    site: Site,
    { scheme, authority }: VisitedSite,
    rules: RequestRules,
    identity: OriginPlace | undefined,
    cacheStatus: string,
  ): boolean {
    return (
      site === this.site &&
      scheme === this.scheme &&
      authority === this.authority &&
      rules === this.rules &&
      identity === this.identity &&
      cacheStatus === this.cacheStatus
    );
  }
}

/**
 * The list may be reused for other responses. `cacheStatus`: value of Cache-Status; empty: the
 * field is omitted. Hot.
 */
export function fieldsForVisitor(
  headers: FieldList,
  site: Site,
  visited: VisitedSite,
  rules: RequestRules,
  identity: OriginPlace | undefined,
  cacheStatus: string,
): FieldList {
  const derived = derivedOf(headers);
  const last = derived?.visitor;
  if (last instanceof VisitorFields && last.isFor(site, visited, rules, identity, cacheStatus)) return last.fields;
  const fields = responseFields(headers, site, visited, rules.name, identity);
  if (cacheStatus !== '') fields.push('cache-status', cacheStatus);
  if (derived === undefined) return fields;
  markRecurring(fields);
  derived.visitor = new VisitorFields(site, visited.scheme, visited.authority, rules, identity, cacheStatus, fields);
  return fields;
}

/** `fields`: at least one. */
export function trailersForVisitor(
  fields: FieldList,
  site: Site,
  visited: VisitedSite,
  rules: RequestRules,
  identity: OriginPlace | undefined,
): FieldList {
  const derived = derivedOf(fields);
  const last = derived?.visitor;
  if (last instanceof VisitorFields && last.isFor(site, visited, rules, identity, '')) return last.fields;
  const trailers = responseTrailers(fields, site, visited, identity);
  if (derived === undefined) return trailers;
  markRecurring(trailers);
  derived.visitor = new VisitorFields(site, visited.scheme, visited.authority, rules, identity, '', trailers);
  return trailers;
}
