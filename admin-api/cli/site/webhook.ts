/** `waypost webhook`: the webhooks of the account, their deliveries, tests and replays. */
import type { Command } from 'commander';
import { escapeControls } from '../../../core/base/log/index.ts';
import type { ApiBody, ApiResponse } from '../../routes/routes.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { type GlobalOptions, print } from '../base/io.ts';
import { parseId } from '../base/numbers.ts';
import { pages } from '../base/pages.ts';
import { addAccountGroup, addVerb, type Call, option } from '../base/verb.ts';

type WebhookBody = ApiBody<'createWebhook'>;

interface Choice extends GlobalOptions {
  readonly url?: string;
  readonly event?: WebhookBody['events'];
  readonly domainId?: number[];
  readonly allDomains?: boolean;
  readonly description?: string;
  readonly enable?: boolean;
  readonly disable?: boolean;
}

const WEBHOOK = '/api/v1/webhooks/{webhook_id}';

const eventOption = () => option('--event <type...>', 'types of events, "kind.*" or "*" (default: all)');
const domainOption = () =>
  option('--domain-id <id...>', 'only events of these domains (default: all domains of the account)').argParser(
    (text, ids?: number[]) => [...(ids ?? []), parseId(text)],
  );
const descriptionOption = () => option('--description <text>', 'a line for the list');

/** The fields that the options name. */
function bodyOf({ url, event, domainId, allDomains, description, enable, disable }: Choice): Partial<WebhookBody> {
  return {
    url,
    events: event,
    description,
    domain_ids: allDomains ? null : domainId,
    enabled: enable ? true : disable ? false : undefined,
  };
}

/** Prints only the secret on standard output, so that a script can capture it. */
function printSecret({ io, options }: Call, body: ApiResponse<'createWebhook'>): void {
  if (options.json) {
    print(io.stdout, JSON.stringify(body));
    return;
  }
  print(io.stdout, escapeControls(body.secret));
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
      const params = { query: { account: api.account } };
      printSecret(call, await api.POST('/api/v1/webhooks', { params, body: { ...bodyOf(options), url } }));
      return true;
    },
  });
  addVerb(webhook, context, {
    usage: 'list',
    about: 'list the webhooks of your account, without the secrets',
    examples: ['waypost webhook list'],
    async run(call) {
      await call.list(
        pages(call.api, '/api/v1/webhooks', 'webhooks', { query: { account: call.api.account } }),
        {
          ID: 'id',
          STATUS: 'status',
          EVENTS: 'events',
          DOMAINS: ({ domain_ids }) => domain_ids ?? 'all',
          URL: 'url',
          DESCRIPTION: 'description',
        },
        'The account has no webhooks.',
      );
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
      const body = bodyOf(call.options);
      if (Object.values(body).every((value) => value === undefined))
        throw new CliError('nothing_to_change', 'There is nothing to change; name a field, such as --enable.');
      const changed = await call.api.PATCH(WEBHOOK, { params: { path: { webhook_id: id } }, body });
      call.show(changed, `updated webhook ${id}: ${changed.status}`);
      return true;
    },
  });
  addVerb(webhook, context, {
    usage: 'rm <id>',
    about: 'delete a webhook and its deliveries',
    examples: ['waypost webhook rm 1'],
    async run(call, [id]) {
      const body = await call.api.DELETE(WEBHOOK, { params: { path: { webhook_id: id } } });
      call.show(body, `deleted webhook ${id}`);
      return true;
    },
  });
  addVerb(webhook, context, {
    usage: 'rotate-secret <id>',
    about: 'print a new secret; the previous one signs too for a day',
    examples: ['waypost webhook rotate-secret 1'],
    async run(call, [id]) {
      const params = { path: { webhook_id: id } };
      printSecret(call, await call.api.POST(`${WEBHOOK}/rotate-secret`, { params }));
      return true;
    },
  });
  addDeliveryCommands(webhook, context);
}

type Delivery = ApiResponse<'listWebhookDeliveries'>['deliveries'][number];

interface ListOptions extends GlobalOptions {
  readonly state?: Delivery['state'];
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
      const body = await call.api.POST(`${WEBHOOK}/test`, { params: { path: { webhook_id: id } } });
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
      const params = { path: { webhook_id: id }, query: { state: call.options.state } };
      await call.list(
        pages(call.api, `${WEBHOOK}/deliveries`, 'deliveries', params),
        {
          ID: 'id',
          CREATED: 'created_at',
          STATE: 'state',
          ATTEMPTS: 'attempts',
          RESPONSE: ({ error, response_status }) => error ?? response_status,
          NEXT: 'next_attempt_at',
          EVENT: 'event',
        },
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
      if (since !== undefined) {
        const body = await call.api.POST(`${WEBHOOK}/replay`, {
          params: { path: { webhook_id: id } },
          body: { since, state: delivered ? 'all' : 'failed' },
        });
        call.show(body, `queued ${body.queued} deliveries`);
      } else if (delivery !== undefined) {
        const params = { path: { webhook_id: id, delivery_id: delivery } };
        const body = await call.api.POST(`${WEBHOOK}/deliveries/{delivery_id}/replay`, { params });
        call.show(body, `queued delivery ${delivery}`);
      }
      return true;
    },
  });
}
