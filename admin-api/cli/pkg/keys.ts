/** `waypost pkg keys`: the keys that sign published packages. */
import type { Command } from 'commander';
import type { ApiClient, Json } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { wholeNumber } from '../base/numbers.ts';
import { rowsOf } from '../base/pages.ts';
import { type Columns, shown } from '../base/table.ts';
import { addGroup, addVerb, type Call, option, YES } from '../base/verb.ts';

const KEYS: Columns = {
  ID: 'key_id',
  STATE: 'state',
  CREATED: 'created_at',
  'SIGNS UNTIL': 'signs_until',
  'ENDORSED BY': 'endorsed_by',
  'PUBLIC KEY': 'public_key',
};

const ADMIN = '/api/admin/store/keys';

interface Rotation {
  readonly overlapDays?: number;
}

interface Revocation {
  readonly reason: string;
}

/** Yields a single page: the list is short. */
async function* listKeys(api: ApiClient): AsyncGenerator<readonly Json[]> {
  yield rowsOf((await api.json({ method: 'GET', path: '/api/store/keys' })).keys);
}

const newestOf = (body: Json): string => {
  const [key] = rowsOf(body.keys);
  return `key ${shown(key?.key_id)}, ${shown(key?.public_key)}`;
};

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
      await call.list(listKeys(call.api), KEYS, 'There is no key yet.');
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
      const body = await call.api.json({ method: 'POST', path: ADMIN, json: { overlap_days } });
      call.show(body, `Created: ${newestOf(body)}`);
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
      const { reason } = call.options;
      const path = `${ADMIN}/${encodeURIComponent(key)}/revoke`;
      const body = await call.api.json({ method: 'POST', path, json: { reason } });
      call.show(body, `Revoked: key ${key}. The current one is ${newestOf(body)}`);
      return true;
    },
  });
}
