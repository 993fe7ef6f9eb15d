/**
 * A terminal on a machine of its own: a network namespace, and folders of the system that are
 * copies in a folder of the test. What a page writes to /etc, /run or /var stays there. Needs root.
 */
import { chmodSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../check/docs/pages.ts';
import { MAIN } from '../../support/daemon.ts';
import type { Place } from '../../support/network.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { Terminal } from './terminal.ts';

/** Covers the folders, and stops unless all of them are covered. */
const COVER = `set -e
mkdir -p "$HOME/etc/waypost" "$HOME/run" "$HOME/lib" "$HOME/backups"
cp -a /etc/. "$HOME/etc/"
rm -f "$HOME/etc/resolv.conf"
for folder in etc:/etc run:/run lib:/var/lib backups:/var/backups; do
  mount --bind "$HOME/\${folder%%:*}" "\${folder##*:}"
  touch "\${folder##*:}/of-the-test"
  test -e "$HOME/\${folder%%:*}/of-the-test"
done
mkdir -p /run/systemd/resolve /var/lib/waypost
set +e`;

/** Another owner would need the user on the machine of the test. */
const SUDO = `#!/bin/sh
exec "$@"
`;

/** Of systemd: the service, and systemd-resolved, which follows its configuration. */
const SYSTEMCTL = `#!/bin/sh
case "$*" in
'restart systemd-resolved')
  if grep -qsx 'DNSStubListener=no' /etc/systemd/resolved.conf.d/*.conf; then kill "$(cat /run/stub.pid)"; fi
  ;;
'stop waypost')
  if [ -e /run/waypost.pid ]; then
    pid=$(cat /run/waypost.pid)
    kill "$pid"
    while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    rm /run/waypost.pid
  fi
  ;;
'start waypost')
  waypost serve > /run/waypost.log 2>&1 &
  echo $! > /run/waypost.pid
  until grep -q '^waypost ready' /run/waypost.log; do
    kill -0 "$!" || { cat /run/waypost.log >&2; exit 1; }
    sleep 0.1
  done
  ;;
*)
  echo "the test has no systemctl $*" >&2
  exit 1
  ;;
esac
`;

/** What systemd-resolved holds until it is told not to. */
const STUB = `import socket, time
sockets = [socket.socket(socket.AF_INET, kind) for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM)]
for each in sockets: each.bind(('127.0.0.53', 53))
sockets[1].listen()
print('holds port 53', flush=True)
time.sleep(86400)
`;

export interface MachineOptions {
  readonly place: Place;
  /** Of this machine, in 192.0.2.0/24. */
  readonly address: string;
  /** Of the resolver that systemd-resolved would ask. */
  readonly resolver: string;
  /** An empty folder. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Resolves when port 53 is held, and /etc/resolv.conf names the stub. */
export async function openMachine({ place, address, resolver, folder, env }: MachineOptions): Promise<Terminal> {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const write = (name: string, text: string): void => {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  };
  write('sudo', SUDO);
  write('systemctl', SYSTEMCTL);
  write('waypost', `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
  writeFileSync(join(folder, 'stub.py'), STUB);
  symlinkSync(join(ROOT, 'config'), join(folder, 'config'));
  const path = `${bin}:/usr/sbin:/sbin:${process.env.PATH}`;
  const all = { ...env, HOME: folder, LC_ALL: 'C.UTF-8', PATH: path };
  const wrapper = ['unshare', '--mount', '--propagation', 'private'];
  const terminal = place.inside(() => new Terminal(folder, all, PATIENCE_MS, wrapper));
  const steps = [
    // Nothing of the machine of the test may be covered.
    `test "$(readlink /proc/self/ns/mnt)" != ${readlinkSync('/proc/self/ns/mnt')}`,
    `ip address add ${address}/24 dev eth0`,
    COVER,
    'grep -q ^waypost: /etc/passwd || echo waypost:x:0:0::/var/lib/waypost:/bin/false >> /etc/passwd',
    'grep -q ^waypost: /etc/group || echo waypost:x:0: >> /etc/group',
    `echo nameserver ${resolver} > /run/systemd/resolve/resolv.conf`,
    'ln -s /run/systemd/resolve/stub-resolv.conf /etc/resolv.conf',
    '{ python3 stub.py > /run/stub.log 2>&1 & echo $! > /run/stub.pid; }',
    'until grep -q holds /run/stub.log; do kill -0 "$(cat /run/stub.pid)" || exit 1; sleep 0.1; done',
  ];
  for (const step of steps) {
    const { code, output } = await terminal.run(step);
    if (code === 0) continue;
    await terminal.close();
    throw new Error(`${step}\nended with ${code}:\n${output}`);
  }
  return terminal;
}
