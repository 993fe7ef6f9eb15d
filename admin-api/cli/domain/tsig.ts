/** `waypost tsig`: the TSIG keys of the account. */

import type { Command } from 'commander';
import { escapeControls } from '../../../core/base/log/index.ts';
import type { ApiBody } from '../../routes/routes.ts';
import type { CommandContext } from '../base/command.ts';
import { type GlobalOptions, print } from '../base/io.ts';
import { LIMIT_OPTIONS, type LimitOptions, limitsOf, limitText } from '../base/key-limits.ts';
import { parseId } from '../base/numbers.ts';
import { pages } from '../base/pages.ts';
import { readText } from '../base/text-file.ts';
import { addAccountGroup, addVerb, type Call, option } from '../base/verb.ts';

interface AddOptions extends GlobalOptions, LimitOptions {
  readonly secretFile?: string;
  readonly outgoing?: boolean;
  readonly algorithm?: ApiBody<'createTsigKey'>['algorithm'];
  readonly scope?: string[];
  readonly domainId?: number[];
}

export function addTsigCommands(program: Command, context: CommandContext): void {
  const tsig = addAccountGroup(program, 'tsig', 'TSIG keys for transfers and updates: add, list, remove', [
    'waypost tsig add transfer.example.net --scope dns:read',
    'waypost tsig list',
  ]);
  addVerb(tsig, context, {
    usage: 'add <name> [host...]',
    about: 'create a key and print its secret on standard output, or enter an existing one',
    options: [
      option(
        '--algorithm <name>',
        'hmac-sha256 (default), hmac-sha512, -sha384, -sha224, -sha1; hmac-md5 with --outgoing',
      ),
      option('--secret-file <file>', 'the secret of an existing key, in base64; "-" is standard input'),
      option('--outgoing', 'the key only signs requests to primaries; its name may be in use already'),
      option('--scope <scope...>', 'dns:read to transfer zones, dns to also update them'),
      option(
        '--domain-id <id...>',
        'the domains that the key is valid for (default: all domains of the account)',
      ).argParser((text, ids?: number[]) => [...(ids ?? []), parseId(text)]),
      ...LIMIT_OPTIONS,
    ],
    more: 'The key of an administrator can read the zones of all accounts.',
    examples: [
      'waypost tsig add transfer.example.net --scope dns:read',
      'waypost tsig add certbot --for acme www.example.com',
      'waypost tsig add their-key --outgoing --algorithm hmac-sha512 --secret-file their-key.secret',
      'dig @127.0.0.1 -p 5300 -y "hmac-sha256:transfer.example.net:$(waypost tsig add transfer.example.net)" example.com AXFR',
    ],
    async run({ io, api, options }: Call<AddOptions>, [name, ...hosts]) {
      const { algorithm, scope, domainId, outgoing, secretFile } = options;
      const secret = secretFile === undefined ? undefined : (await readText(secretFile, io.stdin)).trim();
      const { domains, ...limits } = await limitsOf(api, options, hosts);
      const body = await api.POST('/api/v1/tsig-keys', {
        params: { query: { account: api.account } },
        body: { name, algorithm, secret, outgoing, scopes: scope, domain_ids: domainId ?? domains, ...limits },
      });
      if (options.json) {
        print(io.stdout, JSON.stringify(body));
        return true;
      }
      if (body.secret !== undefined) print(io.stdout, escapeControls(body.secret));
      else print(io.stdout, escapeControls(`entered TSIG key ${body.id}, ${body.name}`));
      for (const { message } of body.warnings) print(io.stderr, `Warning: ${escapeControls(message)}`);
      if (body.secret !== undefined && io.stdout.isTTY) print(io.stderr, 'The secret is not shown again.');
      return true;
    },
  });
  addVerb(tsig, context, {
    usage: 'list',
    about: 'list the keys of your account, without the secrets',
    examples: ['waypost tsig list', 'waypost tsig list --json | jq -r .id'],
    async run(call) {
      await call.list(
        pages(call.api, '/api/v1/tsig-keys', 'tsig_keys', { query: { account: call.api.account } }),
        {
          ID: 'id',
          CREATED: 'created_at',
          ALGORITHM: 'algorithm',
          SCOPES: ({ scopes, outgoing }) => (outgoing ? 'outgoing' : scopes),
          DOMAINS: ({ domain_ids }) => domain_ids ?? 'all',
          LIMITS: limitText,
          NAME: 'name',
        },
        'The account has no TSIG keys.',
      );
      return true;
    },
  });
  addVerb(tsig, context, {
    usage: 'rm <id>',
    about: 'remove a key; messages signed with it are refused at once',
    examples: ['waypost tsig rm 12'],
    async run(call, [id]) {
      const body = await call.api.DELETE('/api/v1/tsig-keys/{key_id}', { params: { path: { key_id: id } } });
      call.show(body, `removed TSIG key ${id}`);
      return true;
    },
  });
}
