/**
 * Commands of the documents that no test can run as they are: the reason, and what is checked
 * instead.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { ROOT } from './pages.ts';

export interface NotRun {
  readonly command: RegExp;
  readonly reason: string;
  /** Throws when the command cannot be right. */
  check(command: string): void;
}

const scripts = (): Record<string, string> => JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts;

/** `npm start`, `npm test` and `npm run NAME` name scripts of package.json. */
export function checkScript(command: string): void {
  for (const [, name] of command.matchAll(
    /\bnpm (?:run )?(?:--silent )?((?:start|test|[\w-]+:[\w-]+|waypost|build|check)\b)/g,
  ))
    assert.ok(name in scripts(), `package.json has no script ${name}`);
}

function checkFiles(command: string): void {
  for (const [path] of command.matchAll(/(?<![\w/])(?:systemd|config)\/[\w.-]+/g))
    assert.ok(existsSync(join(ROOT, path)), `${path} is not there`);
}

function checkUnit(command: string): void {
  const units = [...command.matchAll(/\b(waypost(?:-etcd)?)\b/g)];
  assert.ok(units.length > 0, 'no unit of systemd/ is named');
  for (const [, unit] of units)
    assert.ok(existsSync(join(ROOT, `systemd/${unit}.service`)), `systemd/${unit}.service is not there`);
}

const nothing = (): void => {};

export const NOT_RUN: readonly NotRun[] = [
  {
    command: /^(WAYPOST_\w+=\S+ )*npm start$/,
    reason: 'runs until it is stopped; the test has a daemon',
    check: checkScript,
  },
  {
    command: /^waypost pkg dev /,
    reason: 'runs until it is stopped; test/system/simulator runs it',
    check: nothing,
  },
  {
    command: /^waypost external-dns-webhook\b/,
    reason: 'runs until it is stopped; test/system/peers/automation.test.ts runs it',
    check: nothing,
  },
  {
    command: /^(promtool|prometheus|sed -i|fstrm_capture|dnstap-ldns) /,
    reason: 'needs programs or their folders; test/system/monitoring.test.ts runs them',
    check: checkFiles,
  },
  { command: /^npm test$/, reason: 'would run itself', check: checkScript },
  { command: /^npm run /, reason: 'runs for long, or until it is stopped', check: checkScript },
  { command: /^alias waypost=/, reason: 'the test has `waypost` in its PATH', check: checkScript },
  { command: /^(sudo )?npm (ci|link|unlink)\b/, reason: 'downloads packages, or changes this machine', check: nothing },
  {
    command: /^waypost cluster (init|invite|join) /,
    reason: 'needs several machines; test/system/cluster/printed.test.ts runs what these commands print',
    check: () => assert.ok(existsSync(join(ROOT, 'test/system/cluster/printed.test.ts'))),
  },
  {
    command: /^(docker compose|helm) /,
    reason: 'needs Docker or Kubernetes; test/release/container.test.ts and helm.test.ts check the files',
    check: checkFiles,
  },
  { command: /^podman /, reason: 'test/release/container.test.ts builds and starts the image', check: nothing },
  {
    command: /^(ssh-keygen -Y verify|sha256sum --check) /,
    reason: 'needs the files of a release; test/system/build/signature.test.ts',
    check: nothing,
  },
  { command: /^sudo dpkg\b/, reason: 'test/release/debian.test.ts installs the package', check: nothing },
  { command: /^sudo (cp|install|mkdir|mv|rm|ln)\b/, reason: 'writes to folders of the system', check: checkFiles },
  { command: /^sudo waypost check-config\b/, reason: 'reads the configuration of the system', check: nothing },
  { command: /^sudo waypost reload$/, reason: 'test/system/admin-api/cli/reload.test.ts', check: nothing },
  { command: /^sudo waypost doctor$/, reason: 'its findings depend on the machine', check: nothing },
  {
    command: /^sudo waypost support-bundle\b/,
    reason: 'test/system/admin-api/cli/doctor/doctor.test.ts',
    check: nothing,
  },
  { command: /^(sudo )?(systemctl|journalctl)\b/, reason: 'there is no systemd in a test', check: checkUnit },
];

export const notRun = (command: string): NotRun | undefined => NOT_RUN.find((entry) => entry.command.test(command));
