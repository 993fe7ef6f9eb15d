#!/bin/sh
# Boots the systemd of this machine as process 1 of new namespaces, with a copy of the file system
# that is thrown away, and starts waypost.service as it is in the repository.
# Usage: boot-systemd.sh REPOSITORY NODE FOLDER, as root, by unshare --pid --mount --net …
set -e
repository=$1 node=$2 folder=$3
root=$folder/root
mount --make-rprivate /
mount -t tmpfs tmpfs "$folder"
mkdir -p "$folder/upper" "$folder/work" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for name in run tmp var/tmp; do mount -t tmpfs tmpfs "$root/$name"; done
mount --rbind /dev "$root/dev"
# No other service of this machine starts.
rm -rf "$root"/etc/systemd/system/*.wants
mkdir -p "$root/usr/lib/waypost" "$root/etc/waypost"
mount --bind "$repository" "$root/usr/lib/waypost"
if [ "$node" != /usr/bin/node ]; then
  rm -f "$root/usr/bin/node"
  touch "$root/usr/bin/node"
  mount --bind "$node" "$root/usr/bin/node"
fi
cp "$repository/systemd/waypost.service" "$repository/systemd/waypost-etcd.service" \
  "$root/etc/systemd/system/"
cp "$repository/config/single.toml" "$root/etc/waypost/waypost.toml"
mkdir -p "$root/etc/systemd/system/waypost.service.d"
printf '[Service]\nWatchdogSec=6\n' > "$root/etc/systemd/system/waypost.service.d/test.conf"
# In such a namespace systemd 252 makes credentials that no service can read, so etcd reads its
# certificate from files.
mkdir -p "$root/etc/systemd/system/waypost-etcd.service.d"
cat > "$root/etc/systemd/system/waypost-etcd.service.d/test.conf" <<'DROPIN'
[Service]
LoadCredential=
Environment=ETCD_TRUSTED_CA_FILE=/etc/waypost/etcd/ca.pem
Environment=ETCD_PEER_TRUSTED_CA_FILE=/etc/waypost/etcd/ca.pem
Environment=ETCD_CERT_FILE=/etc/waypost/etcd/node.pem ETCD_KEY_FILE=/etc/waypost/etcd/node.key
Environment=ETCD_PEER_CERT_FILE=/etc/waypost/etcd/node.pem
Environment=ETCD_PEER_KEY_FILE=/etc/waypost/etcd/node.key
DROPIN
# Not by chroot: below it no service could have a user namespace (PrivateUsers).
cd "$root"
mkdir -p .old
pivot_root . .old
exec env -i container=unshare PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot . /bin/sh -c \
  'umount -l /.old; exec /lib/systemd/systemd --system --unit=waypost.service'
