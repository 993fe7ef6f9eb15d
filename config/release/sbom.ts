/** The bill of materials in the format of CycloneDX, from npm, in a form that depends on nothing else. */
import { createHash } from 'node:crypto';
import type { Checkout } from './checkout.ts';
import { run } from './run.ts';

interface Bom {
  serialNumber: string;
  readonly metadata: { timestamp: string; tools?: unknown };
  readonly components: object[];
}

/** `node`: the version of the Node in the release. */
export function billOfMaterials({ folder, time }: Checkout, node: string): string {
  const args = ['sbom', '--omit=dev', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const bom = JSON.parse(run('npm', args, folder)) as Bom;
  bom.components.push({
    'bom-ref': `node@${node}`,
    ...{ type: 'platform', name: 'node', version: node, scope: 'required', purl: `pkg:generic/node@${node}` },
    licenses: [{ license: { id: 'MIT' } }],
  });
  bom.metadata.timestamp = new Date(time * 1000).toISOString();
  // npm names its own version, and makes a number by chance.
  delete bom.metadata.tools;
  const hash = createHash('sha256')
    .update(JSON.stringify({ ...bom, serialNumber: '' }))
    .digest('hex');
  bom.serialNumber = `urn:uuid:${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  return `${JSON.stringify(bom, null, 2)}\n`;
}
