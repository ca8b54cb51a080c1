#!/bin/sh
# Tries the packages on real systems. Needs root, Debian, and debootstrap, systemd-container, rpm (apt-get install).
#
#   sh packaging/try.sh            the short form: rpm contents, and the deb in a minimal root without systemd
#   sh packaging/try.sh --long     also booted Debian 12 and 13: install, reboot, kill, upgrade, worker line, remove, purge
#
# Minimal roots are kept in node_modules/.cache/roots. Prints what it tries; ends with the first failure.
# Text for other shells and for apt stands in single quotes.
# shellcheck disable=SC2016
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
booted=
roots=$PWD/node_modules/.cache/roots
long=no
if [ "${1:-}" = --long ]; then long=yes; fi

say() { echo "try: $*"; }
fail() { echo "try: FAILED: $*" >&2; exit 1; }
end() {
  for leader in $booted; do nsenter -t "$leader" -a systemctl poweroff --force --force 2>/dev/null || true; done
  for mounted in "$work"/*/proc; do if mountpoint -q "$mounted"; then umount "$mounted"; fi; done
  rm -rf "$work"
}
trap end EXIT

[ "$(id -u)" = 0 ] || fail 'needs root'
for program in debootstrap systemd-nspawn rpm; do
  command -v $program >/dev/null || fail "there is no $program: apt-get install debootstrap systemd-container rpm"
done

version=$(node -p 'require("./package.json").version')
packages=$PWD/dist/packages
deb=$packages/cairn_${version}_amd64.deb
rpm=$packages/cairn-$version-1.x86_64.rpm
if [ ! -e "$deb" ] || [ ! -e "$rpm" ]; then npm run -s package -- --arch amd64; fi

# A minimal root with what a cloud image has at least, made once.
root_of() {
  if [ ! -e "$roots/$1.done" ]; then
    rm -rf "${roots:?}/$1"
    mkdir -p "$roots"
    mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -m 1 '/debian/*$')
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,curl,ca-certificates "$1" "$roots/$1" "$mirror" \
      >"$roots/$1.log" 2>&1 || { tail -5 "$roots/$1.log" >&2; fail "cannot make a root of $1"; }
    : >"$roots/$1.done"
  fi
  cp -a "$roots/$1" "$work/$2"
  rm -f "$work/$2/etc/resolv.conf"
}

until_true() {
  what=$1
  shift
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 200 ] || fail "$what: not within 60 s"
    sleep 0.3
  done
}

# Boots a root; `leader` is then its first process. A second argument: the leader whose network it shares.
boot() {
  network=--private-network
  if [ -n "${2:-}" ]; then network=--network-namespace-path=/proc/$2/ns/net; fi
  setsid systemd-nspawn -q -D "$work/$1" --register=no --keep-unit "$network" -b --console=pipe \
    </dev/null >"$work/$1.log" 2>&1 &
  container=$!
  echo $container >"$work/$1.container"
  until_true "the start of $1" pgrep -P $container
  leader=$(pgrep -P $container | head -n 1)
  booted="$booted $leader"
  until_true "the boot of $1" sh -c "nsenter -t $leader -a systemctl is-system-running | grep -E 'running|degraded'"
}

inside() { nsenter -t "$leader" -a "$@"; }
asked() { inside curl -fsS --cacert /var/lib/cairn/tls/server.crt "https://127.0.0.1$1"; }
shut_down() {
  inside systemctl poweroff
  wait "$(cat "$work/$1.container")" || true
}

say 'rpm: digests, and what it installs'
rpm -K --nosignature "$rpm" | grep -q 'digests OK' || fail 'the digests of the rpm'
mkdir "$work/rpm"
rpm --root "$work/rpm" --initdb
rpm --root "$work/rpm" -i --nodeps --noscripts "$rpm" 2>/dev/null
[ -z "$(rpm --root "$work/rpm" -V --nodeps cairn)" ] || fail 'rpm -V finds files that differ'
[ "$(rpm --root "$work/rpm" -qc cairn | tr '\n' ' ')" = '/etc/cairn/agent.env /etc/cairn/server.env ' ] || fail 'its settings files'
rpm --root "$work/rpm" -e --nodeps --noscripts cairn 2>/dev/null
[ ! -e "$work/rpm/usr/lib/cairn" ] || fail 'the rpm leaves files behind'

say 'deb: without systemd in a minimal root of Debian 12'
root_of bookworm plain
mount -t proc proc "$work/plain/proc"
cp "$deb" "$work/plain/root/cairn.deb"
chroot "$work/plain" dpkg -i /root/cairn.deb >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log" >&2; fail 'dpkg -i'; }
[ "$(chroot "$work/plain" cairn version)" = "$version" ] || fail 'cairn version'
[ "$(stat -c '%U %a' "$work/plain/usr/lib/cairn/bin/node")" = 'root 755' ] || fail 'the modes'
[ "$(chroot "$work/plain" stat -c '%U %a' /var/lib/cairn)" = 'cairn 750' ] || fail 'the data folder'
systemd-analyze verify --man=no --root="$work/plain" cairn.service cairn-agent.service || fail 'the units'
chroot "$work/plain" dpkg -i /root/cairn.deb >/dev/null 2>&1 || fail 'the same package again'
chroot "$work/plain" dpkg --purge cairn >/dev/null 2>&1 || fail 'dpkg --purge'
for left in /usr/lib/cairn /etc/cairn /var/lib/cairn /var/log/cairn; do
  [ ! -e "$work/plain$left" ] || fail "$left is left after the purge"
done
if chroot "$work/plain" getent passwd cairn >/dev/null; then fail 'the user is left after the purge'; fi
umount "$work/plain/proc"
if [ $long = no ]; then
  say 'the short form is through'
  exit 0
fi

say 'the next version, for the upgrade'
mkdir "$work/next"
npm run -s package -- --arch amd64 --format deb --version "$version.1" --out "$work/next" >/dev/null

for release in bookworm trixie; do
  say "$release: one command to a served dashboard with this machine listed"
  root_of $release "$release"
  cp "$deb" "$work/$release/root/cairn.deb"
  cp "$work/next/cairn_$version.1_amd64.deb" "$work/$release/root/next.deb"
  boot $release
  started=$(date +%s)
  inside sh -c 'dpkg -i /root/cairn.deb && systemctl enable --now cairn-agent' >"$work/dpkg.log" 2>&1 ||
    { cat "$work/dpkg.log" >&2; fail 'the installation'; }
  asked / | grep -q '<html' || fail 'the dashboard'
  until_true 'this machine in the list of nodes' sh -c "nsenter -t $leader -a curl -fsS \
    --cacert /var/lib/cairn/tls/server.crt https://127.0.0.1/api/v1/node | grep -q '\"id\"'"
  took=$(($(date +%s) - started))
  [ $took -le 60 ] || fail "it took $took s"
  exposure=$(inside systemd-analyze security cairn.service --no-pager | sed -n 's/.*cairn.service: \([0-9.]*\).*/\1/p')
  say "$release: $took s; exposure of the server $exposure"
  awk -v e="$exposure" 'BEGIN { exit !(e <= 3) }' || fail "systemd-analyze security says $exposure"

  say "$release: a worker joins by one line from an empty root, twice; a wrong fingerprint installs nothing"
  server=$leader
  root_of $release worker
  cp "$work/$release/var/lib/cairn/tls/server.crt" "$work/worker/root/"
  boot worker "$server"
  line='curl -fsS --cacert /root/server.crt https://127.0.0.1/api/v1/scripts/install-agent | sh -s -- --id w1 --join-token t'
  wrong=$(printf '%064d' 0)
  if inside sh -c "$line --fingerprint $wrong" >"$work/line.log" 2>&1; then fail 'a wrong fingerprint is accepted'; fi
  grep -q "not $wrong" "$work/line.log" || fail 'the refusal does not name the fingerprint'
  for path in /usr/lib/cairn /etc/cairn; do [ ! -e "$work/worker$path" ] || fail 'something was installed'; done
  right=$(sed -e 1d -e '/^-----END/,$d' "$work/worker/root/server.crt" | base64 -d | sha256sum | cut -d ' ' -f 1)
  started=$(date +%s)
  inside sh -c "$line --fingerprint $right" >"$work/line.log" 2>&1 || { cat "$work/line.log" >&2; fail 'the line'; }
  until_true 'the worker in the list' sh -c "nsenter -t $leader -a curl -fsS --cacert /root/server.crt \
    https://127.0.0.1/api/v1/node | grep -q '\"id\":\"w1\"'"
  say "$release: listed after $(($(date +%s) - started)) s"
  before=$(inside systemctl show -p MainPID cairn-agent)
  inside sh -c "$line --fingerprint $right" | grep -q 'nothing has changed' || fail 'the second time changes something'
  [ "$before" = "$(inside systemctl show -p MainPID cairn-agent)" ] || fail 'the second time restarts the agent'
  inside sh -c "curl -fsS --cacert /root/server.crt https://127.0.0.1/api/v1/scripts/install-agent | sh -s -- --uninstall" >/dev/null
  for left in /usr/lib/cairn /etc/cairn /var/lib/cairn-agent /usr/bin/cairn; do
    [ ! -e "$work/worker$left" ] || fail "$left is left after --uninstall"
  done
  shut_down worker
  rm -rf "$work/worker"
  leader=$server

  say "$release: SIGKILL, and reload"
  pid=$(inside systemctl show -p MainPID --value cairn)
  inside sh -c "kill -9 $pid"
  until_true 'the restarted server' sh -c "nsenter -t $leader -a curl -fsS --cacert /var/lib/cairn/tls/server.crt https://127.0.0.1/readyz"
  pid=$(inside systemctl show -p MainPID --value cairn)
  inside systemctl reload cairn
  asked /livez >/dev/null
  [ "$pid" = "$(inside systemctl show -p MainPID --value cairn)" ] || fail 'reload ended the process'

  say "$release: upgrade under load loses nothing that was acknowledged; a downgrade is refused"
  inside sh -c 'i=0; : >/root/told; while [ ! -e /root/stop ]; do i=$((i + 1))
    curl -fs --cacert /var/lib/cairn/tls/server.crt -H "content-type: application/json" \
      -d "{\"id\":\"j$i\",\"queueName\":\"q\"}" https://127.0.0.1/api/v1/job >/dev/null && echo "j$i" >>/root/told
    done; :' &
  load=$!
  until_true 'the load' test -s "$work/$release/root/told"
  inside dpkg -i /root/next.deb >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log" >&2; fail 'the upgrade'; }
  told=$(wc -l <"$work/$release/root/told")
  until_true 'load after the upgrade' sh -c "[ \$(wc -l <'$work/$release/root/told') -gt $((told + 5)) ]"
  : >"$work/$release/root/stop"
  wait $load
  [ "$(inside cairn version)" = "$version.1" ] || fail 'the version after the upgrade'
  asked /api/v1/job | grep -o '"id":"j[0-9]*"' | sed 's/.*:"//; s/"//' | sort >"$work/stored"
  sort "$work/$release/root/told" | comm -23 - "$work/stored" >"$work/lost"
  [ ! -s "$work/lost" ] || fail "acknowledged and not there: $(head -n 3 "$work/lost" | tr '\n' ' ')"
  say "$release: $(wc -l <"$work/$release/root/told") acknowledged, all there"
  ls "$work/$release/var/backups/cairn/before-upgrade-from-$version"-*.tar >/dev/null || fail 'no backup before the upgrade'
  if inside dpkg -i /root/cairn.deb >"$work/dpkg.log" 2>&1; then fail 'the downgrade is accepted'; fi
  grep -q 'cannot replace version' "$work/dpkg.log" || fail 'the downgrade is refused without a sentence'
  asked /readyz >/dev/null || fail 'the refused downgrade stopped the server'

  say "$release: reboot"
  shut_down $release
  boot $release
  until_true 'the server after the reboot' sh -c "nsenter -t $leader -a curl -fsS --cacert /var/lib/cairn/tls/server.crt https://127.0.0.1/readyz"
  asked /api/v1/job | grep -q '"j1"' || fail 'the data after the reboot'
  inside systemctl is-active --quiet cairn-agent || fail 'the agent after the reboot'

  say "$release: remove keeps the data, purge leaves nothing"
  inside dpkg --remove cairn >/dev/null 2>&1 || fail 'dpkg --remove'
  [ -e "$work/$release/var/lib/cairn/config.json" ] || fail 'the data is gone after the removal'
  if inside systemctl is-active --quiet cairn; then fail 'the server runs after the removal'; fi
  inside dpkg --purge cairn >/dev/null 2>&1 || fail 'dpkg --purge'
  left=$(inside find / -xdev -name '*cairn*' -not -iname '*pitcairn*' -not -path '/root/*' -not -path '/proc/*' -not -path '/sys/*' \
    -not -path '/run/*' -not -path '/var/log/journal/*' -not -path '/var/cache/*' | head -n 5)
  [ -z "$left" ] || fail "left after the purge: $left"
  shut_down $release
  rm -rf "${work:?}/$release"
done
say 'the long form is through'
