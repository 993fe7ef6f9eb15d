/** The rules of a domain: their check, counters and templates. */
import { Type } from '@sinclair/typebox';
import { flag, integer, list, oneOf, orNull, time } from '../../../core/base/schema.ts';
import type { ReadRuleCounts } from '../../../core/cluster/peer-queries.ts';
import { formatHost } from '../../../core/dns/wire/name.ts';
import type { Exemptions } from '../../../core/net/address/index.ts';
import { ORIGINS, type OriginsDocument } from '../../../core/site/pools/document.ts';
import {
  ACTION_TYPES,
  checkRules,
  MAX_RULES,
  RULE_TEMPLATES,
  RULES,
  type Rule,
  type RuleFault,
  type RulesDocument,
} from '../../../core/site/rules/index.ts';
import { rulesView } from '../../../core/site/rules/schema.ts';
import { ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import { HttpError } from '../../http/errors.ts';
import { readReceiverUrl } from '../../http/receiver-url.ts';
import { route } from '../../http/route.ts';
import { formatTime } from '../../http/time.ts';
import type { DocumentCheck } from './document-routes.ts';
import { withoutSecrets, withSealedSecrets } from './rule-logins.ts';
import { withHashes } from './rule-users.ts';

/** Hashes passwords. Throws HttpError 422 with all faults. */
export async function readRules(
  given: readonly unknown[],
  { before, draft, domain, seal }: DocumentCheck<RulesDocument>,
  exemptions: Exemptions,
): Promise<RulesDocument> {
  const document: RulesDocument = {
    rules: withSealedSecrets(await withHashes(given, before.rules), before.rules, seal),
  };
  const faults = [...checkRules(document), ...checkPools(document, ORIGINS.content(draft, domain.id))];
  if (faults.length === 0) return { rules: withUrls(document.rules, exemptions) };
  const [{ message, pointer }] = faults;
  throw new HttpError(422, 'invalid_rule', message, { pointer, details: faults.length > 1 ? faults : undefined });
}

/** The rules with URLs in canonical form. Throws InvalidError `invalid_url`, `private_url`. */
const withUrls = (rules: readonly Rule[], exemptions: Exemptions): readonly Rule[] =>
  rules.map((rule, i) => {
    if (rule.action.type !== 'authenticate') return rule;
    const { forward, jwt, oidc, certificate } = rule.action;
    const read = (url: string, field: string): string => {
      const pointer = `/rules/${i}/action/${field}`;
      return readReceiverUrl(url, exemptions, { of: `rule ${i + 1}`, sending: 'Requests are sent', pointer });
    };
    // Issuers are compared as texts, so they are stored as given.
    if (oidc !== undefined) read(oidc.issuer, 'oidc/issuer');
    return {
      ...rule,
      action: {
        type: rule.action.type,
        ...(forward && { forward: { ...forward, url: read(forward.url, 'forward/url') } }),
        ...(jwt && { jwt: { ...jwt, jwks_url: read(jwt.jwks_url, 'jwt/jwks_url') } }),
        ...(oidc && { oidc }),
        ...(certificate && { certificate }),
      },
    };
  });

/** Finds rules with pools that do not exist. */
function checkPools({ rules }: RulesDocument, { origins }: OriginsDocument): readonly RuleFault[] {
  const labels = new Set(origins.map(({ label }) => label));
  return rules.flatMap(({ action }, i) =>
    action.type !== 'origin' || labels.has(action.name)
      ? []
      : {
          pointer: `/rules/${i}/action/name`,
          message: `Rule ${i + 1}: no entry of the origins has the label "${action.name}"; add one to the origins first.`,
        },
  );
}

const countersView = {
  node: Type.String({ description: 'the node that answers', examples: ['ns1'] }),
  nodes: Type.Object({
    answered: list(Type.String(), 'the nodes whose counts are included'),
    missing: list(Type.String(), 'the nodes whose counts are missing: not reachable, or with another revision'),
  }),
  revision: Type.Integer({ minimum: 0, description: 'the revision of the rules' }),
  rules: list(
    Type.Object({
      number: integer(1, MAX_RULES, 'the position of the rule, from 1'),
      name: Type.String({ description: 'its name, or empty', examples: ['docs'] }),
      type: oneOf(ACTION_TYPES),
      dry_run: flag('true: the rule does nothing'),
      matched: Type.Integer({ minimum: 0, description: 'requests that it matched' }),
      stopped: Type.Integer({ minimum: 0, description: 'requests that it stopped; of a limit in dry run, would have' }),
    }),
    'the rules in their order',
  ),
};

/** `node`: the name of this node. */
export function ruleCountersRoute({ reader }: Services, node: string, readCounts: ReadRuleCounts) {
  const since = orNull(time('when the first of the nodes began to count'), 'null: nothing was counted yet');
  return route({
    operationId: 'getRuleCounters',
    method: 'GET',
    path: '/api/v1/domains/{domain_id}/proxy/rules/counters',
    tag: 'proxy',
    summary: 'Get how often the rules of a domain have matched',
    description:
      'Requests that each rule has matched and stopped since the rules were last changed: counts of all nodes, added up when requested. A node that does not answer in 2 seconds, or has another revision of the rules, is listed as missing. Counts are up to two seconds old, and a restart of a node resets its own.',
    example: { command: 'waypost rules counters example.com' },
    scope: 'proxy',
    response: Type.Object({ ...countersView, since }),
    faults: { 404: ['no_such_domain'] },
    async run({ caller, params }) {
      const { id } = ownedDomain(reader, caller, parseId(params.domain_id));
      const row = RULES.row(reader, id);
      const { rules } = row?.content ?? RULES.empty;
      const revision = row?.revision ?? 0;
      const { sum, answered, missing } = await readCounts(id, revision);
      return {
        node,
        nodes: { answered, missing },
        revision,
        since: sum.since === null ? null : formatTime(Math.floor(sum.since / 1000)),
        rules: rules.map(({ name = '', action, dry_run = false }, i) => ({
          number: i + 1,
          name,
          type: action.type,
          dry_run,
          matched: sum.matched[i] ?? 0,
          stopped: sum.stopped[i] ?? 0,
        })),
      };
    },
  });
}

const templatesView = Type.Object({
  templates: list(
    Type.Object({
      name: Type.String({ description: 'a stable name', examples: ['security-headers'] }),
      title: Type.String({ description: 'a title for people', examples: ['Security headers'] }),
      description: Type.String({
        description: 'what the rules do',
        examples: ['Header fields that browsers use to protect visitors.'],
      }),
      rules: rulesView,
    }),
    'rules that many sites need',
  ),
});

export function ruleTemplatesRoute({ reader }: Services) {
  return route({
    operationId: 'getRuleTemplates',
    method: 'GET',
    path: '/api/v1/domains/{domain_id}/proxy/rules/templates',
    tag: 'proxy',
    summary: 'Get rules that many sites need, for this domain',
    description: 'Each has a name, a sentence about it, and rules for the document of the rules.',
    example: { command: 'waypost rules template security-headers example.com' },
    scope: 'proxy',
    response: templatesView,
    faults: { 404: ['no_such_domain'] },
    run({ caller, params }) {
      const { apex } = ownedDomain(reader, caller, parseId(params.domain_id));
      const domain = formatHost(apex);
      return {
        templates: RULE_TEMPLATES.map(({ name, title, description, rules }) => ({
          name,
          title,
          description,
          rules: withoutSecrets(rules(domain)),
        })),
      };
    },
  });
}
