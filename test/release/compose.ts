/**
 * Starts the services of a compose file by podman: the settings that config/container/compose.yaml
 * uses, with the meaning of the Compose Specification, and an error for any other. Each container
 * of the network `cluster` is in a network namespace, at its address; names are in its hosts file.
 */
import * as assert from 'uvu/assert';
import { type Engine, run } from './image.ts';
import { parseYaml } from './yaml.ts';

type Condition = 'service_completed_successfully' | 'service_healthy' | 'service_started';

interface Service {
  readonly image: string;
  readonly restart: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly user?: string;
  readonly network_mode?: string;
  readonly networks?: readonly string[] | Readonly<Record<string, { ipv4_address?: string }>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { condition: Condition }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly ports?: readonly string[];
  readonly ulimits?: unknown;
  readonly stop_grace_period?: string;
}

const NAMES: readonly (keyof Service)[] = [
  ...(['image', 'restart', 'read_only', 'cap_drop', 'cap_add', 'security_opt', 'tmpfs', 'user'] as const),
  ...(['network_mode', 'networks', 'environment', 'volumes', 'entrypoint', 'command', 'depends_on'] as const),
  ...(['healthcheck', 'ports', 'ulimits', 'stop_grace_period'] as const),
];
const SETTINGS: ReadonlySet<string> = new Set(NAMES);

interface File {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { ipam?: { config: readonly { subnet: string }[] } } | null>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** `${NAME:-default}` without the variable, and `$$`. Throws Error for another `$`. */
function interpolate(text: string): string {
  return text.replace(/\$(?:\$|\{\w+:-([^}]*)\}|)/g, (found, standard: string | undefined) => {
    if (found === '$$') return '$';
    if (standard === undefined) throw new Error(`"$" in "${text}" is no variable with a default`);
    return standard;
  });
}

/** The same in all texts of a value. */
function interpolateAll<T>(value: T): T {
  if (typeof value === 'string') return interpolate(value) as T;
  if (Array.isArray(value)) return value.map(interpolateAll) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, interpolateAll(inner)])) as T;
}

const HUB = 'hub';

export class Composition {
  readonly #file: File;
  readonly #engine: Engine;
  readonly #prefix = `waypost-${process.pid}-`;
  /** Address of each service in the network `cluster`. */
  readonly #addresses = new Map<string, string>();
  readonly #namespaces: string[] = [];

  /** Throws AssertionError if the file has a setting that is unknown here, or breaks a rule. */
  constructor(text: string, engine: Engine) {
    this.#engine = engine;
    const [file] = parseYaml(text) as [File];
    this.#file = interpolateAll(file);
    let free = 200;
    for (const [name, service] of Object.entries(this.#file.services)) {
      this.#check(name, service);
      const { networks } = service;
      const fixed = networks !== undefined && 'cluster' in networks ? networks.cluster?.ipv4_address : undefined;
      if (service.network_mode === undefined) this.#addresses.set(name, fixed ?? `10.53.0.${free++}`);
    }
    const ports = Object.values(this.#file.services).flatMap((service) => service.ports ?? []);
    const taken = ports.map((port) => port.replace(/^(\S+):(\d+)(\/udp)?.*$/, '$1 $3'));
    assert.is(new Set(taken).size, ports.length, 'two services have the same port');
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:/);
  }

  /** Names of the nodes. */
  get nodes(): string[] {
    return Object.keys(this.#file.services).filter((name) => name.startsWith('node-'));
  }

  #check(name: string, service: Service): void {
    for (const key of Object.keys(service)) assert.ok(SETTINGS.has(key), `${name} has "${key}", which is unknown here`);
    assert.is(service.read_only, true, name);
    assert.equal(service.cap_drop, ['ALL'], name);
    assert.equal(service.security_opt, ['no-new-privileges:true'], name);
    for (const volume of service.volumes ?? [])
      assert.ok(volume.split(':')[0] in this.#file.volumes, `${name} has the volume ${volume}, which is not there`);
    for (const other of Object.keys(service.depends_on ?? {})) assert.ok(other in this.#file.services, other);
    for (const network of Object.keys(Array.isArray(service.networks) ? {} : (service.networks ?? {})))
      assert.ok(network in this.#file.networks, `${name} is in ${network}, which is not there`);
  }

  /** Starts all, each after what it needs. Resolves when all are healthy or have ended well. */
  async up(): Promise<void> {
    this.#addNetwork();
    const started = new Set<string>();
    const visit = async (name: string): Promise<void> => {
      if (started.has(name)) return;
      started.add(name);
      const needs = Object.entries(this.#file.services[name].depends_on ?? {});
      for (const [other] of needs) await visit(other);
      for (const [other, { condition }] of needs) if (condition === 'service_healthy') await this.untilHealthy(other);
      await this.start(name);
    };
    for (const name of Object.keys(this.#file.services)) await visit(name);
    for (const name of this.nodes) await this.untilHealthy(name);
  }

  /** Runs the health check of a service until it ends well. */
  async untilHealthy(name: string): Promise<void> {
    const [kind, ...command] = this.#file.services[name].healthcheck?.test ?? [];
    assert.is(kind, 'CMD', name);
    await this.#engine.untilRuns(name, 'exec', name, ...command);
  }

  /** Resolves when it runs, or, if it does not restart, when it has ended well. */
  async start(name: string): Promise<void> {
    const service = this.#file.services[name];
    const isOnce = service.restart === 'no';
    const args = [
      ...['--name', name, '--pull=never', '--read-only', '--health-interval=disable'],
      // Less than the file has: this machine may not have more.
      ...['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=10000:10000'],
      ...service.cap_drop.map((capability) => `--cap-drop=${capability}`),
      ...(service.cap_add ?? []).map((capability) => `--cap-add=${capability}`),
      ...service.security_opt.flatMap((option) => ['--security-opt', option.replace(':true', '')]),
      ...(service.tmpfs ?? []).flatMap((path) => ['--tmpfs', path]),
      ...(service.user === undefined ? [] : ['--user', service.user]),
      ...Object.entries(service.environment ?? {}).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
      ...(service.volumes ?? []).flatMap((volume) => ['--volume', volume]),
      ...(service.entrypoint === undefined ? [] : ['--entrypoint', JSON.stringify(service.entrypoint)]),
      ...this.#networkOf(name, service),
    ];
    this.#engine.podman('run', ...(isOnce ? [] : ['--detach']), ...args, service.image, ...(service.command ?? []));
  }

  #networkOf(name: string, { network_mode: mode }: Service): string[] {
    if (mode !== undefined) return [`--network=${mode}`];
    const hosts = [...this.#addresses].flatMap(([other, address]) => ['--add-host', `${other}:${address}`]);
    return [`--network=ns:/run/netns/${this.#prefix}${name}`, ...hosts];
  }

  /** A bridge in a namespace of its own, so that nothing of it is seen on this machine. */
  #addNetwork(): void {
    const inside = (name: string, ...command: readonly string[]): string =>
      run('ip', '-netns', `${this.#prefix}${name}`, ...command);
    const add = (name: string): void => {
      run('ip', 'netns', 'add', `${this.#prefix}${name}`);
      this.#namespaces.push(name);
      inside(name, 'link', 'set', 'lo', 'up');
    };
    add(HUB);
    inside(HUB, 'link', 'add', 'bridge0', 'type', 'bridge');
    inside(HUB, 'link', 'set', 'bridge0', 'up');
    for (const [i, [name, address]] of [...this.#addresses].entries()) {
      add(name);
      const peer = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', `${this.#prefix}${name}`];
      inside(HUB, 'link', 'add', `port${i}`, ...peer);
      inside(HUB, 'link', 'set', `port${i}`, 'master', 'bridge0', 'up');
      inside(name, 'address', 'add', `${address}/24`, 'dev', 'eth0');
      inside(name, 'link', 'set', 'eth0', 'up');
    }
  }

  close(): void {
    this.#engine.podman('rm', '--force', '--all');
    for (const name of this.#namespaces) run('ip', 'netns', 'delete', `${this.#prefix}${name}`);
  }
}
