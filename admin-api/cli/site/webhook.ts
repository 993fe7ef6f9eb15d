/** `waypost webhook`: the webhooks of the account, their deliveries, tests and replays. */
import type { Command } from 'commander';
import { escapeControls } from '../../../core/base/log/index.ts';
import { ofAccount } from '../base/accounts.ts';
import { asText, type Json } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { type GlobalOptions, print } from '../base/io.ts';
import { parseId } from '../base/numbers.ts';
import { pages } from '../base/pages.ts';
import { addAccountGroup, addVerb, type Call, option } from '../base/verb.ts';

interface Choice extends GlobalOptions {
  readonly url?: string;
  readonly event?: string[];
  readonly domainId?: number[];
  readonly allDomains?: boolean;
  readonly description?: string;
  readonly enable?: boolean;
  readonly disable?: boolean;
}

const WEBHOOKS = '/api/v1/webhooks';
const pathOf = (id: string): string => `${WEBHOOKS}/${encodeURIComponent(id)}`;

const eventOption = () => option('--event <type...>', 'types of events, "kind.*" or "*" (default: all)');
const domainOption = () =>
  option('--domain-id <id...>', 'only events of these domains (default: all domains of the account)').argParser(
    (text, ids?: number[]) => [...(ids ?? []), parseId(text)],
  );
const descriptionOption = () => option('--description <text>', 'a line for the list');

/** The fields that the options name. */
function bodyOf({ url, event, domainId, allDomains, description, enable, disable }: Choice): Json {
  return {
    url,
    events: event,
    description,
    domain_ids: allDomains ? null : domainId,
    enabled: enable ? true : disable ? false : undefined,
  };
}

/** Prints only the secret on standard output, so that a script can capture it. */
function printSecret({ io, options }: Call, body: Json): void {
  if (options.json) {
    print(io.stdout, JSON.stringify(body));
    return;
  }
  const secret = asText(body.secret);
  if (secret === undefined) throw new CliError('not_the_api', 'The response of the daemon has no secret.');
  print(io.stdout, escapeControls(secret));
  print(io.stderr, `webhook ${body.id}: the secret is not shown again.`);
}

export function addWebhookCommands(program: Command, context: CommandContext): void {
  const webhook = addAccountGroup(program, 'webhook', 'webhooks: create, list, update, test, deliveries, replay', [
    'waypost webhook create https://hooks.example.com/waypost --event "records.*"',
    'waypost webhook deliveries 1 --state failed',
  ]);
  addVerb(webhook, context, {
    usage: 'create <url>',
    about: 'create a webhook and print its secret on standard output',
    options: [eventOption(), domainOption(), descriptionOption()],
    examples: ['waypost webhook create https://hooks.example.com/waypost --event records.changed "certificate.*"'],
    async run(call: Call<Choice>, [url]) {
      const { api, options } = call;
      printSecret(
        call,
        await api.json({ method: 'POST', path: ofAccount(api, WEBHOOKS), json: { ...bodyOf(options), url } }),
      );
      return true;
    },
  });
  addVerb(webhook, context, {
    usage: 'list',
    about: 'list the webhooks of your account, without the secrets',
    examples: ['waypost webhook list'],
    async run(call) {
      const columns = {
        ID: 'id',
        STATUS: 'status',
        EVENTS: 'events',
        DOMAINS: (row: Json) => row.domain_ids ?? 'all',
        URL: 'url',
        DESCRIPTION: 'description',
      };
      const list = pages(call.api, WEBHOOKS, 'webhooks', { account: call.api.account });
      await call.list(list, columns, 'The account has no webhooks.');
      return true;
    },
  });
  addVerb(webhook, context, {
    usage: 'update <id>',
    about: 'change a webhook; other fields stay as they are',
    options: [
      option('--url <url>', 'where events are sent'),
      eventOption(),
      domainOption(),
      option('--all-domains', 'events of all domains of the account'),
      descriptionOption(),
      option('--enable', 'deliver events again'),
      option('--disable', 'deliver no events'),
    ],
    examples: ['waypost webhook update 1 --enable'],
    async run(call: Call<Choice>, [id]) {
      const json = bodyOf(call.options);
      if (Object.values(json).every((value) => value === undefined))
        throw new CliError('nothing_to_change', 'There is nothing to change; name a field, such as --enable.');
      const body = await call.api.json({ method: 'PATCH', path: pathOf(id), json });
      call.show(body, `updated webhook ${id}: ${body.status}`);
      return true;
    },
  });
  addVerb(webhook, context, {
    usage: 'rm <id>',
    about: 'delete a webhook and its deliveries',
    examples: ['waypost webhook rm 1'],
    async run(call, [id]) {
      const body = await call.api.json({ method: 'DELETE', path: pathOf(id) });
      call.show(body, `deleted webhook ${id}`);
      return true;
    },
  });
  addVerb(webhook, context, {
    usage: 'rotate-secret <id>',
    about: 'print a new secret; the previous one signs too for a day',
    examples: ['waypost webhook rotate-secret 1'],
    async run(call, [id]) {
      printSecret(call, await call.api.json({ method: 'POST', path: `${pathOf(id)}/rotate-secret` }));
      return true;
    },
  });
  addDeliveryCommands(webhook, context);
}

interface ListOptions extends GlobalOptions {
  readonly state?: string;
}

interface ReplayOptions extends GlobalOptions {
  readonly delivery?: number;
  readonly since?: string;
  readonly delivered?: boolean;
}

function addDeliveryCommands(webhook: Command, context: CommandContext): void {
  addVerb(webhook, context, {
    usage: 'test <id>',
    about: 'send the event webhook.test',
    examples: ['waypost webhook test 1'],
    async run(call, [id]) {
      const body = await call.api.json({ method: 'POST', path: `${pathOf(id)}/test` });
      call.show(body, `queued delivery ${body.id}`, `see it with "waypost webhook deliveries ${id}"`);
      return true;
    },
  });
  addVerb(webhook, context, {
    usage: 'deliveries <id>',
    about: 'list the deliveries of a webhook, newest first',
    options: [option('--state <state>', 'only these: pending, delivered or failed')],
    examples: ['waypost webhook deliveries 1', 'waypost webhook deliveries 1 --json | jq .payload'],
    async run(call: Call<ListOptions>, [id]) {
      const columns = {
        ID: 'id',
        CREATED: 'created_at',
        STATE: 'state',
        ATTEMPTS: 'attempts',
        RESPONSE: (row: Json) => row.error ?? row.response_status,
        NEXT: 'next_attempt_at',
        EVENT: 'event',
      };
      const { state } = call.options;
      await call.list(
        pages(call.api, `${pathOf(id)}/deliveries`, 'deliveries', { state }),
        columns,
        'There are no deliveries.',
      );
      return true;
    },
  });
  addVerb(webhook, context, {
    usage: 'replay <id>',
    about: 'send deliveries again: one, or the failed ones since a time',
    options: [
      option('--delivery <id>', 'this one').argParser(parseId),
      option('--since <time>', 'the failed ones since a time in UTC, such as "2026-11-27 06:00:00"'),
      option('--delivered', 'with --since: also those that were delivered'),
    ],
    examples: ['waypost webhook replay 1 --delivery 17', 'waypost webhook replay 1 --since "2026-11-27 06:00:00"'],
    async run(call: Call<ReplayOptions>, [id]) {
      const { delivery, since, delivered } = call.options;
      if ((delivery === undefined) === (since === undefined))
        throw new CliError('nothing_to_replay', 'Name either --delivery or --since.');
      if (delivery !== undefined) {
        const body = await call.api.json({ method: 'POST', path: `${pathOf(id)}/deliveries/${delivery}/replay` });
        call.show(body, `queued delivery ${delivery}`);
        return true;
      }
      const json = { since, state: delivered ? 'all' : 'failed' };
      const body = await call.api.json({ method: 'POST', path: `${pathOf(id)}/replay`, json });
      call.show(body, `queued ${body.queued} deliveries`);
      return true;
    },
  });
}
