/** Endpoints of the pause of deliveries after a restore. */
import { Type } from '@sinclair/typebox';
import { StateError } from '../../../core/base/errors.ts';
import { count, flag, orNull, text, time } from '../../../core/base/schema.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { installations } from '../../../core/store/rows.ts';
import { change } from '../../change/change.ts';
import type { Services } from '../../change/services.ts';
import { route } from '../../http/route.ts';
import { formatTime } from '../../http/time.ts';

const PATH = '/api/v1/deliveries';
const COMMON = { tag: 'operations', scope: 'account' } as const;

const response = Type.Object({
  paused: flag('whether webhooks, request logs and NOTIFY wait; a restored copy starts so'),
  history: orNull(
    text('the id of the history of changes; a restored copy has another'),
    'null: no backup was made yet, and nothing was restored',
  ),
  restored: orNull(
    Type.Object({
      from: text('the backup, or the node that wrote the snapshot', { examples: ['ns1'] }),
      seq: count('the sequence number of the last change in the restored data'),
      at: time('when it was restored'),
    }),
    'the restore that made this copy of the data; null: none',
  ),
});

export function deliveriesRoutes(services: Services) {
  const { reader } = services;
  return [
    route({
      ...COMMON,
      operationId: 'getDeliveries',
      method: 'GET',
      path: PATH,
      summary: 'Read whether deliveries are paused after a restore',
      description:
        'After a restore from a backup, webhooks, notifications and request logs wait, so that nothing is sent twice.',
      example: { command: 'waypost deliveries status' },
      response,
      run: () => viewDeliveries(reader),
    }),
    route({
      ...COMMON,
      operationId: 'resumeDeliveries',
      method: 'POST',
      path: `${PATH}/resume`,
      summary: 'Resume deliveries after a restore',
      description:
        'For a restored copy that replaces the original. Deliveries that wait are sent, also those that the original has sent after the backup.',
      example: { command: 'waypost deliveries resume' },
      admin: true,
      response,
      faults: { 409: ['not_paused'] },
      run: (context) =>
        change(services, context, (draft) => {
          const row = draft.installation();
          if (row?.isPaused !== true) throw new StateError('not_paused', 'Deliveries are not paused.');
          draft.put(installations, { ...row, isPaused: false, isLocal: false });
          return { action: 'deliveries.resume', target: row.history, createResponse: () => viewDeliveries(draft) };
        }),
    }),
  ];
}

function viewDeliveries(reader: Pick<Reader, 'installation'>) {
  const { history = null, restored = null, isPaused = false } = reader.installation() ?? {};
  return {
    paused: isPaused,
    history,
    restored: restored && { from: restored.from, seq: restored.sequence, at: formatTime(restored.at) },
  };
}
