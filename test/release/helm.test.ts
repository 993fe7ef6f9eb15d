/**
 * The chart of config/helm/waypost: `helm lint`, and what `helm template` renders. The settings of
 * the rendered container pass `waypost check-config`, and the script of its init container makes a
 * cluster. Needs the program helm, which Debian does not have: in PATH, or its path in HELM.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MAIN } from '../support/daemon.ts';
import { whyNotPrograms } from '../support/programs.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { startEtcd } from '../system/peers/etcd.ts';
import { without } from './optional.ts';
import { parseYaml, whyNoYaml } from './yaml.ts';

const CHART = join(import.meta.dirname, '../../../config/helm/waypost');
const HELM = process.env.HELM ?? 'helm';
const COMMAND_MS = 120_000;

interface Port {
  readonly name: string;
  readonly port: number;
  readonly targetPort: string;
  readonly protocol: string;
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env: readonly { name: string; value?: string; valueFrom?: object }[];
  readonly envFrom?: readonly object[];
  readonly args: readonly string[];
  readonly ports: readonly { name: string; containerPort: number; protocol: string }[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { name: string; mountPath: string }[];
  readonly [probe: `${string}Probe`]: { readonly httpGet: { path: string; port: string } };
}

/** What the tests read of any object. */
interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly data: Readonly<Record<string, string>>;
  readonly spec: {
    readonly type?: string;
    readonly ports: readonly Port[];
    readonly endpoints: readonly { port: string; path: string; authorization?: object }[];
    readonly ingress: readonly { ports: readonly { port: string }[]; from?: readonly object[] }[];
    readonly replicas: number;
    readonly serviceName: string;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly automountServiceAccountToken: boolean;
        readonly enableServiceLinks: boolean;
        readonly securityContext: object;
        readonly initContainers?: readonly Container[];
        readonly containers: readonly Container[];
        readonly volumes: readonly { name: string }[];
      };
    };
    readonly volumeClaimTemplates: readonly { metadata: { name: string } }[];
  };
}

const CLUSTER = ['--set', 'replicas=4', '--set', 'etcd.endpoints={https://etcd-0:2379,https://etcd-1:2379}'];
const FULL = [
  ...CLUSTER,
  ...[
    '--set',
    'etcd.tlsSecret=etcd-client',
    '--set',
    'admin.password=correct horse',
    '--set',
    'priorityClassName=high',
  ],
  ...['--set', 'nodeSelector.disk=ssd', '--set', 'persistence.storageClass=local', '--set', 'podLabels.team=dns'],
  ...['--set', 'podAnnotations.note=x', '--set', 'imagePullSecrets[0].name=pull', '--set', 'tolerations[0].key=dns'],
  ...['--set', 'networkPolicy.adminFrom[0].namespaceSelector.matchLabels.name=ops', '--set-string', 'image.tag=1'],
  ...['--set', 'service.dns.loadBalancerIP=192.0.2.53', '--set', 'service.dns.annotations.a=b'],
  ...['--set', 'service.edge.annotations.a=b', '--set', 'service.admin.annotations.a=b'],
  ...['--set', 'cluster.ipv4={192.0.2.80}', '--set', 'cluster.ipv6={2001:db8::80}', '--set', 'secrets={s3,geo}'],
  ...[
    '--set',
    'env[0].name=WAYPOST_LOG_LEVEL',
    '--set',
    'env[0].value=debug',
    '--set',
    'envFrom[0].secretRef.name=more',
  ],
  ...['--set', 'volumes[0].name=lists', '--set', 'volumes[0].configMap.name=lists'],
  ...['--set', 'volumeMounts[0].name=lists', '--set', 'volumeMounts[0].mountPath=/lists'],
  ...['--set', 'serviceMonitor.enabled=true', '--set', 'serviceMonitor.tokenSecret.name=metrics'],
];

const helm = (...args: readonly string[]): string =>
  execFileSync(HELM, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: COMMAND_MS });

const render = (...values: readonly string[]): Rendered[] =>
  parseYaml(helm('template', 'dns', CHART, '--namespace', 'names', ...values)) as Rendered[];

const kinds = (objects: readonly Rendered[], kind: string): Rendered[] =>
  objects.filter((object) => object.kind === kind);

const only = (objects: readonly Rendered[], kind: string): Rendered => {
  const found = kinds(objects, kind);
  assert.is(found.length, 1, kind);
  return found[0];
};

/** The environment of a container of the pod `pod`, as Kubernetes makes it. */
function environmentOf({ env }: Container, pod: string): Record<string, string> {
  const found: Record<string, string> = { POD_NAME: pod, POD_NAMESPACE: 'names' };
  for (const { name, value } of env)
    if (value !== undefined) found[name] = value.replace(/\$\((\w+)\)/g, (_, key: string) => found[key]);
  return found;
}

/** The settings of a container, with folders of this test. */
function localEnvironment(container: Container, objects: readonly Rendered[], pod: string): Record<string, string> {
  const config = join(folder, 'waypost.toml');
  writeFileSync(config, only(objects, 'ConfigMap').data['waypost.toml']);
  const dataDir = join(folder, pod);
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'waypost'), `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
  chmodSync(join(bin, 'waypost'), 0o755);
  const env = { ...environmentOf(container, pod), WAYPOST_CONFIG: config, WAYPOST_DATA_DIR: dataDir };
  return { ...env, PATH: `${bin}:${process.env.PATH}` };
}

function whyNot(): string | null {
  if (spawnSync(HELM, ['version'], { stdio: 'ignore' }).status !== 0) return without('helm');
  return whyNoYaml() ?? whyNotPrograms('etcd');
}

let folder: string;
test.before(() => {
  folder = temporaryFolder('helm');
});
test.after(() => removeFolder(folder));

const why = whyNot();
if (why !== null) {
  console.log(`skipped: ${why}`);
  test.skip('the chart', () => {});
} else {
  test('helm lint has nothing to say', () => {
    for (const values of [[], [...CLUSTER, '--set', 'etcd.tlsSecret=etcd-client'], FULL])
      assert.match(helm('lint', '--strict', CHART, ...values), '0 chart(s) failed');
  });

  test('values that do not fit are refused', () => {
    const refused = (pattern: RegExp, ...values: readonly string[]): void =>
      assert.throws(() => render(...values), pattern);
    refused(/replicas above 1 need etcd\.endpoints/, '--set', 'replicas=2');
    refused(/https need etcd\.tlsSecret/, ...CLUSTER);
    refused(/replica\b/, '--set', 'replica=2');
    refused(/replicas/, '--set', 'replicas=0');
    refused(/type/, '--set', 'service.dns.type=ExternalName');
    refused(/size/, '--set', 'persistence.size=much');
    refused(/cluster/, '--set', 'cluster.ipv4={example.net}');
    refused(/leave out one of them/, '--set', 'config=[cluster]', '--set', 'cluster.ipv4={192.0.2.80}');
  });

  test('objects: names, labels, selectors, ports and the restricted profile', () => {
    for (const values of [[], FULL]) {
      const objects = render(...values);
      const { metadata, spec } = only(objects, 'StatefulSet');
      const pod = spec.template;
      for (const object of objects) {
        assert.match(object.metadata.name, /^dns(-|$)/);
        assert.is(object.metadata.labels['app.kubernetes.io/instance'], 'dns');
      }
      for (const [key, value] of Object.entries(spec.selector.matchLabels))
        assert.is(pod.metadata.labels[key], value, key);
      assert.is(metadata.name, 'dns');
      assert.is(
        kinds(objects, 'Service').some((service) => service.metadata.name === spec.serviceName),
        true,
      );
      const [main] = pod.spec.containers;
      const ports = new Map(main.ports.map((port) => [port.name, port]));
      for (const service of kinds(objects, 'Service'))
        for (const { targetPort, protocol } of service.spec.ports)
          assert.is(ports.get(targetPort)?.protocol, protocol, targetPort);
      for (const { ports: open } of only(objects, 'NetworkPolicy').spec.ingress)
        for (const { port } of open) assert.ok(ports.has(port), port);
      const dns = kinds(objects, 'Service').find((service) => service.metadata.name === 'dns-dns');
      assert.equal(
        dns?.spec.ports.map(({ port, protocol }) => `${port}/${protocol}`),
        ['53/UDP', '53/TCP'],
      );
      for (const port of main.ports) assert.ok(port.containerPort > 1024, port.name);
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const)
        assert.is(main[probe].httpGet.port, 'admin');
      // https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
      assert.is(pod.spec.automountServiceAccountToken, false);
      assert.is(pod.spec.enableServiceLinks, false);
      assert.equal(pod.spec.securityContext, {
        ...{ runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532 },
        ...{ fsGroupChangePolicy: 'OnRootMismatch', seccompProfile: { type: 'RuntimeDefault' } },
      });
      const volumes = [...pod.spec.volumes, ...spec.volumeClaimTemplates.map(({ metadata: claim }) => claim)];
      for (const container of [main, ...(pod.spec.initContainers ?? [])]) {
        assert.equal(container.securityContext, {
          ...{ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          ...{ readOnlyRootFilesystem: true, runAsNonRoot: true },
        });
        for (const { name } of container.volumeMounts)
          assert.ok(
            volumes.some((volume) => volume.name === name),
            name,
          );
      }
      assert.is(kinds(objects, 'PodDisruptionBudget').length, 1);
      assert.is(kinds(objects, 'Secret').length, values === FULL ? 1 : 0);
    }
  });

  test('the addresses of the edge are those of the values, or none, and never loopback', () => {
    const addresses = (...values: readonly string[]): string[] =>
      only(render(...values), 'ConfigMap')
        .data['waypost.toml'].split('\n')
        .filter((line) => /^(\[cluster\]|ipv[46] =)/.test(line));
    assert.equal(addresses(), ['[cluster]', 'ipv4 = []', 'ipv6 = []']);
    const set = ['--set', 'cluster.ipv4={192.0.2.80,192.0.2.81}'];
    assert.equal(addresses(...set), ['[cluster]', 'ipv4 = ["192.0.2.80","192.0.2.81"]', 'ipv6 = []']);
    assert.equal(addresses('--set', 'config=[cluster]'), ['[cluster]']);
    assert.equal(addresses('--set', 'config=cluster.lag_seconds = 5'), []);
  });

  test('variables, Secrets and volumes of the values are in every container', () => {
    const { spec } = only(render(...FULL), 'StatefulSet').spec.template;
    for (const { env, envFrom, volumeMounts } of [...(spec.initContainers ?? []), ...spec.containers]) {
      assert.equal(env.at(-1)?.name === 'INVITATIONS' ? env.at(-2) : env.at(-1), {
        ...{ name: 'WAYPOST_LOG_LEVEL', value: 'debug' },
      });
      assert.equal(envFrom, [{ secretRef: { name: 'more' } }]);
      const paths = volumeMounts.map(({ mountPath }) => mountPath);
      for (const path of ['/etc/waypost/secrets/s3', '/etc/waypost/secrets/geo', '/lists'])
        assert.ok(paths.includes(path), path);
    }
  });

  test('a ServiceMonitor selects the Service of the API alone, with the token of a Secret', () => {
    assert.equal(kinds(render(), 'ServiceMonitor'), []);
    const objects = render(...FULL);
    const { spec } = only(objects, 'ServiceMonitor');
    const selected = kinds(objects, 'Service').filter(({ metadata }) =>
      Object.entries(spec.selector.matchLabels).every(([key, value]) => metadata.labels[key] === value),
    );
    assert.equal(
      selected.map(({ metadata }) => metadata.name),
      ['dns-admin'],
    );
    const [{ port, path, authorization }] = spec.endpoints;
    assert.ok(selected[0].spec.ports.some(({ name }) => name === port));
    assert.equal([path, authorization], ['/metrics', { credentials: { name: 'metrics', key: 'token' } }]);
  });

  test('the settings are those of waypost, and its addresses are the ports of the container', () => {
    for (const values of [[], [...CLUSTER, '--set', 'etcd.tlsSecret=etcd-client']]) {
      const objects = render(...values);
      const [main] = only(objects, 'StatefulSet').spec.template.spec.containers;
      const env = localEnvironment(main, objects, 'dns-0');
      const { status, stderr } = spawnSync('waypost', ['check-config', '--quiet'], {
        ...{ env, encoding: 'utf8', timeout: COMMAND_MS },
      });
      // The volumes of the pod have the certificates of a cluster.
      assert.ok(
        status === 0 ||
          /^error: (?:\S+ is missing|etcd\.\w+: .*ENOENT)|2 errors:(?:\n {2}.*(?:is missing|ENOENT).*)+/.test(stderr),
        stderr,
      );
      const listen = ['DNS', 'EDGE_HTTP', 'EDGE_HTTPS', 'ADMIN'].map((name) => env[`WAYPOST_${name}_LISTEN`]);
      const open = new Set(main.ports.map(({ containerPort }) => containerPort));
      for (const text of listen) assert.ok(open.has(Number(text.split(':')[1])), text);
    }
  });

  test('the init container makes a cluster, lets nodes join, and does nothing at later starts', async () => {
    const etcd = await startEtcd();
    try {
      const objects = render('--set', 'replicas=2', '--set', `etcd.endpoints={${etcd.endpoint}}`);
      const [init] = only(objects, 'StatefulSet').spec.template.spec.initContainers as Container[];
      const invitations = join(folder, 'invitations');
      mkdirSync(invitations);
      const start = (pod: string) => {
        const env: Record<string, string> = { ...localEnvironment(init, objects, pod), INVITATIONS: invitations };
        const options = { env, encoding: 'utf8', timeout: COMMAND_MS } as const;
        return { env, ...spawnSync('/bin/sh', ['-euc', ...init.args], options) };
      };
      const first = start('dns-0');
      assert.is(first.status, 0, first.stderr);
      assert.is(start('dns-0').status, 0);
      const early = start('dns-1');
      assert.is(early.status, 1);
      assert.match(early.stderr, 'No invitation for dns-1');
      const name = 'dns-1.dns-nodes.names.svc.cluster.local';
      const invitation = execFileSync('waypost', ['cluster', 'invite', name], { env: first.env, timeout: COMMAND_MS });
      writeFileSync(join(invitations, 'dns-1'), invitation);
      const second = start('dns-1');
      assert.is(second.status, 0, second.stderr);
      assert.is(start('dns-1').status, 0);
      assert.is(second.env.WAYPOST_NODE_NAME, name);
      assert.ok(existsSync(join(folder, 'dns-1/cluster/node.key')));
    } finally {
      await etcd.stop();
    }
  });
}

test.run();
