/** `waypost rules`: the rules of the sites of a domain. */
import type { Command } from 'commander';
import { checkRules, RULE_TEMPLATES, type RulesDocument, type RuleTemplate } from '../../../core/site/rules/index.ts';
import type { CommandContext } from '../base/command.ts';
import type { Domain } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';
import { print } from '../base/io.ts';
import { count } from '../base/table.ts';
import { addAccountGroup, addVerb, type Call, option } from '../base/verb.ts';
import { addListVerbs, ifUnchanged, PROXY, readDocument } from './document.ts';

const RULES = `${PROXY}/rules` as const;
const DOCUMENT = { kind: 'rules', nouns: ['rule', 'rules'] } as const;
const TEMPLATE_NAMES = RULE_TEMPLATES.map(({ name }) => name);

export function addRulesCommands(program: Command, context: CommandContext): void {
  const group = addAccountGroup(program, 'rules', 'the rules of the sites of a domain', [
    'waypost rules template security-headers example.com --add',
    'waypost rules get example.com > rules.json',
    'waypost rules check rules.json',
    'waypost rules set example.com rules.json',
  ]);
  addListVerbs(group, context, DOCUMENT);
  addVerb(group, context, {
    usage: 'counters <domain>',
    about: 'list how many requests each rule has matched and stopped, on all nodes together',
    more: 'Names the nodes that are not included; with --json, in the field "missing_nodes" of each rule.',
    examples: ['waypost rules counters example.com'],
    async run(call, [domainName]) {
      const { id: domain_id } = await call.domain(domainName);
      const { rules, nodes } = await call.api.GET(`${RULES}/counters`, { params: { path: { domain_id } } });
      await call.rows(
        rules.map((row) => ({ ...row, run: row.dry_run ? 'dry' : 'yes', missing_nodes: nodes.missing })),
        { RULE: 'number', TYPE: 'type', RUNS: 'run', MATCHED: 'matched', STOPPED: 'stopped', NAME: 'name' },
        'The domain has no rules.',
      );
      if (nodes.missing.length > 0) call.note(describeMissing(nodes.missing));
      return true;
    },
  });
  addTemplate(group, context);
  addCheck(group, context);
}

const describeMissing = (nodes: readonly string[]): string =>
  `Not included: ${nodes.join(', ')}. ${nodes.length === 1 ? 'This node does not answer or has' : 'These nodes do not answer or have'} another version of the rules.`;

function addTemplate(group: Command, context: CommandContext): void {
  addVerb<{ add?: boolean }>(group, context, {
    usage: 'template [name] [domain]',
    about: 'print rules that many sites need; without a name, list them',
    options: [option('--add', 'add them behind the rules of the domain')],
    examples: ['waypost rules template wordpress example.com > rules.json'],
    async run(call, [name, domainName]) {
      const { add } = call.options;
      if (name === undefined) {
        await call.rows(
          RULE_TEMPLATES.map(({ name: identifier, title }) => ({ name: identifier, title })),
          { NAME: 'name', RULES: 'title' },
          '',
        );
        return true;
      }
      if (domainName === undefined)
        throw new CliError('usage', `Name the domain too: waypost rules template ${name} example.com`);
      const template = RULE_TEMPLATES.find((candidate) => candidate.name === name);
      if (template === undefined)
        throw new CliError('no_such_template', `There is no template "${name}"; use ${TEMPLATE_NAMES.join(', ')}.`);
      const domain = await call.domain(domainName);
      if (add === true) await addRules(call, domain, template);
      else call.document({ rules: template.rules(domain.domain) });
      return true;
    },
  });
}

/** Fails if the rules change in between. */
async function addRules(call: Call, domain: Domain, template: RuleTemplate): Promise<void> {
  const before = await call.api.GET(RULES, { params: { path: { domain_id: domain.id } } });
  const rules = [...before.rules, ...template.rules(domain.domain)];
  const changed = await call.api.PUT(RULES, { params: ifUnchanged(domain, before), body: { rules } });
  call.show(changed, `added the rules "${template.title}" to ${domain.domain}`);
}

/** Needs no daemon. */
function addCheck(group: Command, { io, action }: CommandContext): void {
  group
    .command('check')
    .description('check the rules in a JSON file')
    .argument('<file>', 'an object with the list "rules"')
    .addHelpText('after', '\nExamples:\n  $ waypost rules check rules.json\n')
    .action(
      action(async ({ json }, [file]) => {
        const document = (await readDocument(file, io.stdin, DOCUMENT)) as RulesDocument;
        const faults = faultsOf(document);
        const isSound = faults.length === 0;
        const verdict = { ok: isSound, rules: document.rules.length, faults };
        if (json) print(io.stdout, JSON.stringify(verdict));
        else
          for (const line of isSound ? [`${count(verdict.rules, 'rule')}, no faults`] : faults) print(io.stdout, line);
        return isSound;
      }),
    );
}

/** A placeholder hash for each password, because only the daemon hashes passwords. */
const ANY_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

function faultsOf(document: RulesDocument): readonly string[] {
  const hashed = JSON.parse(JSON.stringify(document), (key, value) =>
    key === 'users' && Array.isArray(value) ? value.map(({ name }) => ({ name, hash: ANY_HASH })) : value,
  ) as RulesDocument;
  try {
    return checkRules(hashed).map(({ message }) => message);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return ['The file has fields of the wrong type; "waypost rules set" names them.'];
  }
}
