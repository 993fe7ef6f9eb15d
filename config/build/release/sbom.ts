/**
 * The bill of materials in the format of CycloneDX, from npm, in a form that depends on nothing
 * else.
 */
import { createHash } from 'node:crypto';
import type { Checkout } from './checkout.ts';
import { shippedPackages } from './packages.ts';
import { run } from './run.ts';
import { TARGETS } from './targets.ts';

interface Bom {
  serialNumber: string;
  readonly metadata: { timestamp: string; tools?: unknown; readonly component: { readonly 'bom-ref': string } };
  components: { readonly 'bom-ref': string; readonly [field: string]: unknown }[];
  dependencies: { readonly ref: string; dependsOn?: readonly string[] }[];
}

/** `node`: the version of the Node in the release. */
export function billOfMaterials({ folder, time }: Checkout, node: string): string {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const bom = JSON.parse(run('npm', args, folder)) as Bom;
  keepShipped(bom, folder);
  bom.components.push({
    'bom-ref': `node@${node}`,
    type: 'platform',
    name: 'node',
    version: node,
    scope: 'required',
    purl: `pkg:generic/node@${node}`,
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

/** Without the packages of systems that no target has, and those that only build and test. */
function keepShipped(bom: Bom, folder: string): void {
  const packages = TARGETS.flatMap((target) => shippedPackages(folder, target));
  const shipped = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  bom.components = bom.components
    .filter((component) => shipped.has(component['bom-ref']))
    // For npm, packages of the browser are for development, and those of a system are optional.
    .map((component) => ({ ...component, scope: 'required', properties: [] }));
  const own = bom.metadata.component['bom-ref'];
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => ref === own || shipped.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => shipped.has(other)) }));
}
