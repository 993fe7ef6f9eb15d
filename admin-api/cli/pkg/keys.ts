/** `waypost pkg keys`: the keys that sign published packages. */
import type { Command } from 'commander';
import type { ApiResponse } from '../../routes/routes.ts';
import type { CommandContext } from '../base/command.ts';
import { wholeNumber } from '../base/numbers.ts';
import type { Columns } from '../base/table.ts';
import { addGroup, addVerb, type Call, option, YES } from '../base/verb.ts';

type Keys = ApiResponse<'listStoreKeys'>['keys'];

const KEYS: Columns<Keys[number]> = {
  ID: 'key_id',
  STATE: 'state',
  CREATED: 'created_at',
  'SIGNS UNTIL': 'signs_until',
  'ENDORSED BY': 'endorsed_by',
  'PUBLIC KEY': 'public_key',
};

interface Rotation {
  readonly overlapDays?: number;
}

interface Revocation {
  readonly reason: string;
}

const newestOf = ([key]: Keys): string => `key ${key.key_id}, ${key.public_key}`;

export function addPkgKeysCommands(parent: Command, context: CommandContext): void {
  const keys = addGroup(parent, 'keys', 'keys that sign published packages: list, rotate, revoke', [
    'waypost pkg keys list',
    'waypost pkg keys rotate --overlap-days 90',
  ]);
  addVerb(keys, context, {
    usage: 'list',
    about: 'list the keys, newest first',
    examples: ['waypost pkg keys list', 'waypost pkg keys list --json | jq -r .public_key_pem'],
    async run(call) {
      await call.rows((await call.api.GET('/api/store/keys')).keys, KEYS, 'There is no key yet.');
      return true;
    },
  });
  addVerb(keys, context, {
    usage: 'rotate',
    about: 'create a new key, which the current key endorses (administrators)',
    more: 'Both keys sign until the overlap ends.',
    options: [
      option('--overlap-days <days>', 'days for which the previous key also signs (default: 90)').argParser(
        wholeNumber(0, 3650),
      ),
      YES,
    ],
    examples: ['waypost pkg keys rotate', 'waypost pkg keys rotate --overlap-days 365'],
    async run(call: Call<Rotation>) {
      const { overlapDays: overlap_days } = call.options;
      await call.confirm('Create a new key for all published packages?');
      const body = await call.api.POST('/api/admin/store/keys', { body: { overlap_days } });
      call.show(body, `Created: ${newestOf(body.keys)}`);
      return true;
    },
  });
  addVerb(keys, context, {
    usage: 'revoke <key>',
    about: 'revoke a key, for example because it leaked (administrators)',
    more: 'The key signs nothing any more. If it is the current key, hosts need an update with the new one.',
    options: [option('--reason <text>', 'the reason, which everybody can read').makeOptionMandatory(), YES],
    examples: ['waypost pkg keys revoke 1 --reason "A backup was stolen."'],
    async run(call: Call<Revocation>, [key]) {
      await call.confirm(
        `Revoke the key ${key}? Hosts that trust only this key install nothing until they are updated.`,
      );
      const body = await call.api.POST('/api/admin/store/keys/{store_key_id}/revoke', {
        params: { path: { store_key_id: key } },
        body: { reason: call.options.reason },
      });
      call.show(body, `Revoked: key ${key}. The current one is ${newestOf(body.keys)}`);
      return true;
    },
  });
}
