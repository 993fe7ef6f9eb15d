/** `npm run openapi`: writes the types again after the description of an endpoint has changed. */
import { writeFileSync } from 'node:fs';
import { startDaemon } from '../../daemon.ts';
import { generateTypes, TYPES_FILE } from './generate.ts';

const daemon = await startDaemon();
try {
  const { body } = await daemon.call('GET', '/api/v1/openapi.json', { token: null });
  writeFileSync(TYPES_FILE, await generateTypes(body));
} finally {
  await daemon.stop();
}
