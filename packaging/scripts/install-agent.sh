#!/bin/sh
# Makes this machine a worker node of a Cairn server, or a worker node no more. The server gives out this script at
# /api/v1/scripts/install-agent with the three values below filled in. Run it as root, as often as you like.
#
#   curl -fsS --cacert server.crt https://SERVER/api/v1/scripts/install-agent | sh -s -- --join-token TOKEN
#
# Plain POSIX sh. Nothing runs before the whole script has been read: the last line calls main.
set -eu

# The server's address as the caller named it, its version, and its certificate if that is its own authority.
SERVER='@SERVER@'
VERSION='@VERSION@'
CERTIFICATE='@CERTIFICATE@'

SETTINGS=/etc/cairn/agent.env
AUTHORITY=/etc/cairn/server-ca.pem
HOME_FOLDER=/usr/lib/cairn

usage() {
  cat <<'END'
install-agent [options]

  --join-token TOKEN     used to obtain the node's own token (CAIRN_JOIN_TOKEN)
  --server URL           the server, if it is not the one that this script came from
  --fingerprint SHA256   refuse a server whose certificate has another SHA-256 fingerprint
  --ca FILE              certificates to trust, PEM
  --id ID                the node's id
  --format FORMAT        deb, rpm or tar (what this system has)
  --no-start             install without starting the agent
  --uninstall            remove the agent, its settings and its data
  --help
END
}

say() { echo "install-agent: $*"; }
fail() { echo "install-agent: $*" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

main() {
  join_token=${CAIRN_JOIN_TOKEN:-} fingerprint='' ca='' id='' format='' starts=yes task=install
  while [ $# -gt 0 ]; do
    case $1 in
      --join-token | --server | --fingerprint | --ca | --id | --format)
        [ $# -ge 2 ] || { usage >&2; fail "$1 needs a value"; }
        case $1 in
          --join-token) join_token=$2 ;;
          --server) SERVER=$2 ;;
          --fingerprint) fingerprint=$2 ;;
          --ca) ca=$2 ;;
          --id) id=$2 ;;
          --format) format=$2 ;;
        esac
        shift 2
        ;;
      --no-start) starts=no; shift ;;
      --uninstall) task=uninstall; shift ;;
      --help) usage; exit 0 ;;
      *) usage >&2; echo "install-agent: unknown option $1" >&2; exit 2 ;;
    esac
  done
  [ "$(id -u)" = 0 ] || fail 'run this as root: it installs a system service'
  if [ $task = uninstall ]; then uninstall; else install_agent; fi
}

install_agent() {
  case $SERVER in
    http://* | https://*) ;;
    *) fail "cannot use the server $SERVER: want https://host or https://host:port" ;;
  esac
  SERVER=${SERVER%/}
  case "$join_token$id" in *[!A-Za-z0-9._:@=-]*) fail 'a token or an id has characters that it cannot have' ;; esac
  if [ -e $HOME_FOLDER/bundle/src/main.js ] && [ ! -e /usr/share/doc/cairn-agent ]; then
    fail 'this machine has the package cairn, which contains the agent: run systemctl enable --now cairn-agent'
  fi
  has curl || fail 'this needs curl'
  arch=$(arch_of "$(uname -m)")
  [ -n "$format" ] || format=$(format_here)
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  choose_trust
  if [ "$(installed_version)" = "$VERSION" ]; then
    say "version $VERSION is installed already"
  else
    package=$work/cairn-agent.$format
    fetch "$SERVER/api/v1/agent/package?format=$format&arch=$arch" "$package" ||
      fail "cannot fetch the package from $SERVER (see above); nothing was installed"
    install_package "$package"
  fi
  changed=no
  write_settings
  start_agent
}

arch_of() {
  case $1 in
    x86_64 | amd64) echo amd64 ;;
    aarch64 | arm64) echo arm64 ;;
    *) fail "there is no agent for the processor $1: want x86_64 or aarch64" ;;
  esac
}

format_here() {
  if has dpkg && has apt-get; then echo deb
  elif has rpm && { has dnf || has yum || has zypper; }; then echo rpm
  else echo tar
  fi
}

# Which certificates prove the server: those given, else the one that came with this script, else the system's.
choose_trust() {
  if [ -n "$CERTIFICATE" ]; then printf '%s\n' "$CERTIFICATE" >"$work/server.pem"; fi
  if [ -n "$fingerprint" ]; then
    case $SERVER in https://*) ;; *) fail 'a fingerprint needs a server with https' ;; esac
    # The certificate that is compared is the one that is trusted afterwards: another server cannot answer for it.
    [ -s "$work/server.pem" ] || presented_certificate >"$work/server.pem" ||
      fail 'cannot read the certificate of the server: install openssl, or give --ca in place of --fingerprint'
    wanted=$(echo "$fingerprint" | tr -d ': ' | tr 'A-F' 'a-f')
    got=$(sed -e '/^-----BEGIN/d' -e '/^-----END/,$d' "$work/server.pem" | base64 -d | sha256sum | cut -d ' ' -f 1)
    [ "$wanted" = "$got" ] ||
      fail "the server's certificate has the fingerprint $got, not $wanted: nothing was installed"
    [ -n "$ca" ] || ca=$work/server.pem
  fi
  if [ -z "$ca" ] && [ -s "$work/server.pem" ]; then ca=$work/server.pem; fi
  [ -z "$ca" ] || [ -r "$ca" ] || fail "cannot read $ca"
}

presented_certificate() {
  has openssl || return 1
  place=${SERVER#https://}
  case $place in *:*) ;; *) place=$place:443 ;; esac
  openssl s_client -connect "$place" </dev/null 2>/dev/null | openssl x509 2>/dev/null
}

fetch() { curl -fsS --retry 3 --connect-timeout 10 ${ca:+--cacert "$ca"} -o "$2" "$1"; }

installed_version() {
  if [ -x /usr/bin/cairn ]; then /usr/bin/cairn version 2>/dev/null || true; fi
}

install_package() {
  case $format in
    deb)
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Options::=--force-confold "$1" >"$work/log" 2>&1 ||
        dpkg -i "$1" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail 'cannot install the package (see above)'; }
      ;;
    rpm)
      if has dnf; then dnf install -y -q "$1"; elif has yum; then yum install -y -q "$1"
      elif has zypper; then zypper --non-interactive install --allow-unsigned-rpm "$1"; else rpm -U "$1"; fi ||
        fail 'cannot install the package (see above)'
      ;;
    tar)
      kept=
      if [ -e $SETTINGS ]; then kept=$work/agent.env; cp -p $SETTINGS "$kept"; fi
      rm -rf $HOME_FOLDER
      tar -xzf "$1" -C / --no-same-owner || fail 'cannot unpack the agent'
      if [ -n "$kept" ]; then cp -p "$kept" $SETTINGS; fi
      grep -q '^cairn:' /etc/group || { if has groupadd; then groupadd --system cairn; else addgroup -S cairn; fi; }
      mkdir -p /var/lib/cairn-agent && chmod 750 /var/lib/cairn-agent
      ;;
    *) fail "cannot use the format $format: want deb, rpm or tar" ;;
  esac
  say "installed version $VERSION"
}

# Puts a file in place if it differs.
place() {
  if [ -e "$2" ] && cmp -s "$1" "$2"; then return 0; fi
  cp "$1" "$2.new" && chmod "$3" "$2.new" && mv "$2.new" "$2"
  changed=yes
}

# The lines that are ours; whatever else an administrator wrote stays.
write_settings() {
  mkdir -p /etc/cairn
  own='^CAIRN_SERVER='
  if [ -n "$ca" ]; then own="$own\\|^CAIRN_CA="; fi
  if [ -n "$join_token" ]; then own="$own\\|^CAIRN_JOIN_TOKEN="; fi
  if [ -n "$id" ]; then own="$own\\|^CAIRN_NODE_ID="; fi
  umask 077
  {
    if [ -e $SETTINGS ]; then grep -v "$own" $SETTINGS || true; fi
    echo "CAIRN_SERVER=$SERVER"
    if [ -n "$ca" ]; then echo "CAIRN_CA=$AUTHORITY"; fi
    if [ -n "$join_token" ]; then echo "CAIRN_JOIN_TOKEN=$join_token"; fi
    if [ -n "$id" ]; then echo "CAIRN_NODE_ID=$id"; fi
  } >"$work/agent.env.new"
  if [ -n "$ca" ] && [ "$ca" != $AUTHORITY ]; then place "$ca" $AUTHORITY 644; fi
  place "$work/agent.env.new" $SETTINGS 600
}

start_agent() {
  if [ $starts = no ]; then say 'start it with: systemctl enable --now cairn-agent'; return 0; fi
  if [ ! -d /run/systemd/system ]; then
    if has systemctl; then systemctl enable cairn-agent >/dev/null 2>&1 || true; fi
    say 'systemd does not run here; start the agent with:'
    say "  (set -a; . $SETTINGS; exec cairn agent)"
    return 0
  fi
  if [ $changed = no ] && systemctl is-active --quiet cairn-agent && systemctl is-enabled --quiet cairn-agent; then
    say "nothing has changed; the agent runs and reports to $SERVER"
    return 0
  fi
  systemctl daemon-reload
  systemctl enable --quiet cairn-agent
  systemctl restart cairn-agent || fail 'the agent does not start; see: journalctl -u cairn-agent'
  say "the agent runs and reports to $SERVER; its log: journalctl -u cairn-agent"
}

uninstall() {
  if [ -d /run/systemd/system ]; then systemctl disable --now --quiet cairn-agent 2>/dev/null || true; fi
  if has dpkg-query && dpkg-query -W cairn-agent >/dev/null 2>&1; then
    dpkg --purge cairn-agent >/dev/null || fail 'cannot remove the package cairn-agent'
  elif has rpm && rpm -q cairn-agent >/dev/null 2>&1; then
    rpm -e cairn-agent || fail 'cannot remove the package cairn-agent'
  elif [ -e /usr/share/doc/cairn-agent ]; then
    rm -rf $HOME_FOLDER /usr/bin/cairn /usr/share/doc/cairn-agent /usr/lib/systemd/system/cairn-agent.service \
      /usr/lib/systemd/system/cairn-jobs.slice /etc/systemd/system/multi-user.target.wants/cairn-agent.service
    if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
  elif [ -e $HOME_FOLDER ]; then
    fail 'this machine has the package cairn: remove that with the package manager'
  fi
  rm -rf $SETTINGS $AUTHORITY /var/lib/cairn-agent
  if [ -d /etc/cairn ]; then rmdir /etc/cairn 2>/dev/null || true; fi
  say 'the agent is removed'
}

main "$@"
