/** The configuration: whether it is valid, and settings that are only suitable for tests. */
import { type ClearText, clearTextOf, isReservedName } from '../../../core/config/index.ts';
import { isLoopback } from '../../../core/net/address/index.ts';
import { type AnyCheck, check, failure, NotChecked, note, ok, type Verdict, warning } from './check.ts';
import { quoted } from './machine.ts';

interface ConfigurationReading {
  readonly source: string;
  readonly file: string | undefined;
  /** The error; null: the configuration is valid. */
  readonly fault: string | null;
  /** Number of settings that differ from their default. */
  readonly changed: number;
}

const edit = (file: string | undefined): string => `sudoedit ${quoted(file ?? '/etc/waypost/waypost.toml')}`;

export const valid = check<ConfigurationReading>({
  id: 'configuration.valid',
  why: 'The daemon does not start with an error in it.',
  async read(context) {
    const { source, file, settings, isRoot } = context;
    const fault = await context.startFault();
    if (!isRoot && fault !== null && /\bEACCES\b/.test(fault)) throw new NotChecked(fault, 'sudo waypost doctor');
    return { source, file, fault, changed: settings.filter(({ origin }) => origin !== 'default').length };
  },
  judge({ source, file, fault, changed }) {
    if (fault === null) return ok(`valid (${source}), ${changed} settings are not at their default`);
    const command = file === undefined ? 'waypost check-config' : `waypost check-config --config ${quoted(file)}`;
    return failure(fault.replaceAll(/\n\s*/g, ' ').slice(0, 2000), command);
  },
});

interface NamesReading {
  readonly file: string | undefined;
  readonly nameservers: readonly string[];
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
  /** Whether a DNS listener has an address outside of the loopback. */
  readonly isPublic: boolean;
}

export const names = check<NamesReading>({
  id: 'configuration.nameservers',
  why: 'Every zone has them as its NS records, so resolvers must find the node by them.',
  read({ config, file }) {
    const { nameservers, cluster, dns } = config;
    const isPublic = dns.listen.some(({ address }) => !isLoopback(address));
    return { file, nameservers, ipv4: cluster.ipv4, ipv6: cluster.ipv6, isPublic };
  },
  judge({ file, nameservers, isPublic }) {
    const examples = nameservers.filter(isReservedName);
    const found = nameservers.join(', ');
    if (examples.length === 0) return ok(found);
    return (isPublic ? warning : note)(`${examples.join(', ')} cannot exist on the internet`, edit(file));
  },
});

export const addresses = check<NamesReading>({
  id: 'configuration.addresses',
  why: 'Proxied names of all domains resolve to cluster.ipv4 and cluster.ipv6.',
  read: names.read,
  judge({ file, ipv4, ipv6, isPublic }) {
    const all = [...ipv4, ...ipv6];
    const loopback = all.filter(isLoopback);
    if (all.length > 0 && loopback.length === 0) return ok(all.join(', '));
    const found = all.length === 0 ? 'no address is set' : `${loopback.join(', ')} is a loopback address`;
    return (isPublic ? warning : note)(found, edit(file));
  },
});

interface TestSettings {
  readonly file: string | undefined;
  /** Keys of settings that permit connections to private networks. */
  readonly open: readonly string[];
}

const TEST_SETTINGS = /(^|\.)allow_private_\w+$/;

export const testSettings = check<TestSettings>({
  id: 'configuration.test_settings',
  why: 'Settings for test setups let customers reach private networks of this machine.',
  read({ config, settings, file, isUnreadable }) {
    if (config === undefined || isUnreadable)
      throw new NotChecked('this user may not read the configuration', 'sudo waypost doctor');
    const isOpen = (value: unknown): boolean => value !== false && !(Array.isArray(value) && value.length === 0);
    const open = settings.filter(({ key, origin, value }) => {
      return TEST_SETTINGS.test(key) && origin !== 'default' && isOpen(value);
    });
    return { file, open: open.map(({ key }) => key) };
  },
  judge: ({ file, open }): Verdict =>
    open.length === 0 ? ok('no setting for tests is on') : warning(`${open.join(', ')} is set`, edit(file)),
});

interface ClearTextReading {
  readonly file: string | undefined;
  readonly found: readonly ClearText[];
}

const BY_SEVERITY = { grave: failure, notable: warning, usual: note } as const;

export const clearText = check<ClearTextReading>({
  id: 'configuration.cleartext',
  why: 'Without TLS, others on the network can read what is sent, and change it.',
  read({ config, file, isUnreadable }) {
    if (config === undefined || isUnreadable)
      throw new NotChecked('this user may not read the configuration', 'sudo waypost doctor');
    return { file, found: clearTextOf(config) };
  },
  judge({ file, found }) {
    if (found.length === 0) return ok('nothing leaves this machine without TLS');
    return found.map(({ key, value, severity, risk, next }) =>
      BY_SEVERITY[severity](`${key} is without TLS. ${risk} ${next}`, edit(file), value),
    );
  },
});

interface PasswordReading {
  /** The source of admin.password; null: not set. */
  readonly origin: string | null;
  readonly hasStore: boolean;
}

export const password = check<PasswordReading>({
  id: 'configuration.admin_password',
  why: 'The initial password is only read at the first start, and then only waits to be found.',
  async read(context) {
    const setting = context.settings.find(({ key }) => key === 'admin.password');
    const hasStore = await context.store().then(
      () => true,
      () => false,
    );
    const isSet = setting !== undefined && setting.origin !== 'default';
    return { origin: isSet ? (setting.origin === 'file' ? 'admin.password' : setting.env) : null, hasStore };
  },
  judge({ origin, hasStore }) {
    if (origin === null) return ok('not set');
    if (!hasStore) return ok(`${origin} is set for the first start`);
    return note(
      `${origin} is still set, and not used any more`,
      "sudo sed -i '/WAYPOST_ADMIN_PASSWORD/d' /etc/waypost/environment",
    );
  },
});

export const CONFIGURATION_CHECKS: readonly AnyCheck[] = [valid, names, addresses, testSettings, clearText, password];
