# shellcheck shell=bash disable=SC2034,SC2153
# Gets what the stack needs: jars through Maven into a cache, packages of Debian through apt-get.
# Everything that cannot be had is told at once, with exit code 3, so that a caller can fall back.

KAFKA_VERSION=$(sed -n 's:.*<kafka.version>\(.*\)</kafka.version>.*:\1:p' "$PARTS/pom-kafka.xml")
DEBEZIUM_VERSION=$(sed -n 's:.*<debezium.version>\(.*\)</debezium.version>.*:\1:p' \
  "$PARTS/pom-debezium.xml")

choose_cache() {
  local candidate
  for candidate in "${ONCEFLOW_CACHE:-}" "$CHECKOUT/.cache/stack" \
    "${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/onceflow/stack" \
    "${TMPDIR:-/tmp}/onceflow-cache-$(id -u)"; do
    [ -n "$candidate" ] || continue
    CACHE=$candidate
    KAFKA_JARS=$CACHE/kafka-$KAFKA_VERSION
    PLUGINS=$CACHE/debezium-$DEBEZIUM_VERSION
    # A cache that is complete may be read-only.
    if [ -e "$KAFKA_JARS/.complete" ] && [ -e "$PLUGINS/.complete" ]; then return; fi
    if mkdir -p "$candidate" 2>/dev/null && [ -w "$candidate" ]; then return; fi
    [ "$candidate" != "${ONCEFLOW_CACHE:-}" ] || say "cannot write to ONCEFLOW_CACHE=$candidate"
  done
}

find_java() {
  local candidate
  for candidate in "${JAVA_HOME:+$JAVA_HOME/bin/java}" "$(command -v java || true)" \
    /usr/lib/jvm/java-17-openjdk-*/bin/java; do
    [ -n "$candidate" ] && [ -x "$candidate" ] || continue
    JAVA_VERSION=$("$candidate" -version 2>&1 | sed -n '1s/.*version "\([^"]*\)".*/\1/p')
    case $JAVA_VERSION in
      1[7-9]* | [2-9][0-9]*) JAVA=$candidate; return ;;
    esac
  done
  return 1
}

# PostgreSQL 15 is preferred; any server from 14 on will do. ONCEFLOW_PGBIN overrides.
find_postgres() {
  local candidate
  for candidate in "${ONCEFLOW_PGBIN:-}" /usr/lib/postgresql/1[5-9]/bin /usr/lib/postgresql/14/bin \
    "$(pg_config --bindir 2>/dev/null || true)"; do
    if [ -n "$candidate" ] && [ -x "$candidate/initdb" ] && [ -x "$candidate/postgres" ] &&
      [ -x "$candidate/psql" ]; then
      PGBIN=$candidate
      return
    fi
  done
  return 1
}

find_etcd() { ETCD=$(command -v etcd); }
needs_java() { has_component kafka || has_component connect; }
jars_complete() {
  [ -e "$KAFKA_JARS/.complete" ] && { ! has_component connect || [ -e "$PLUGINS/.complete" ]; }
}

# Prints the Debian packages that are missing for the chosen components.
missing_packages() {
  if needs_java; then
    find_java || echo openjdk-17-jre-headless
    jars_complete || command -v mvn >/dev/null || echo maven
  fi
  if has_component source || has_component target; then find_postgres || echo postgresql-15; fi
  if has_component etcd; then find_etcd || echo etcd-server; fi
  if has_component connect || has_component etcd; then command -v curl >/dev/null || echo curl; fi
  if [ "$SECURE" = yes ]; then command -v openssl >/dev/null || echo openssl; fi
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi }
can_install() {
  command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
}

refuse_missing() {
  die "$EXIT_UNAVAILABLE" "cannot be had here: $*" \
    "they are packages of Debian and $(command -v apt-get >/dev/null &&
      echo 'only root may install them' || echo 'there is no apt-get')" \
    "install them by hand, choose fewer components with --only, or use 'onceflow dev', which needs none"
}

# Debian starts a service as soon as its package is unpacked. A policy file forbids that while we
# install; one that stands there already is left as it is.
install_packages() {
  local policy=/usr/sbin/policy-rc.d made=no status=0 had_cluster=no log
  log=$CACHE/apt.log
  [ ! -d /etc/postgresql/15/main ] || had_cluster=yes
  if [ ! -e $policy ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee $policy >/dev/null
    as_root chmod 755 $policy
    made=yes
  fi
  {
    as_root apt-get update -q || true
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
      -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 "$@"
  } >"$log" 2>&1 </dev/null || status=$?
  [ $made = no ] || as_root rm -f $policy
  if [ $status != 0 ]; then
    tail -n 12 "$log" >&2
    die "$EXIT_UNAVAILABLE" "apt-get could not install: $*" "the whole output is in $log"
  fi
  # Nothing of Debian's own may start at the next boot: the stack runs its own servers.
  if [[ " $* " == *' postgresql-15 '* ]] && [ $had_cluster = no ]; then
    as_root pg_dropcluster 15 main >>"$log" 2>&1 || true
  fi
  if [[ " $* " == *' etcd-server '* ]] && command -v systemctl >/dev/null; then
    as_root systemctl disable etcd >>"$log" 2>&1 || true
  fi
}

# fetch_jars FOLDER POM [SUBFOLDER]: complete or not at all, and safe when two stacks fetch at once.
fetch_jars() {
  local folder=$1 pom=$2 subfolder=${3:-} attempt temporary
  (
    flock 8
    if [ -e "$folder/.complete" ]; then exit 0; fi
    temporary=$folder.partial
    for attempt in 1 2 3; do
      rm -rf "$temporary"
      if mvn -q -B -f "$pom" dependency:copy-dependencies -DincludeScope=runtime \
        -DoutputDirectory="$temporary/$subfolder" >"$folder.log" 2>&1 </dev/null 9>&-; then
        touch "$temporary/.complete"
        rm -rf "$folder"
        mv "$temporary" "$folder"
        exit 0
      fi
      say "Maven failed (attempt $attempt of 3)"
      sleep "$attempt"
    done
    tail -n 12 "$folder.log" >&2
    exit 1
  ) 8>"$folder.lock" || die "$EXIT_UNAVAILABLE" "Maven could not download the jars" \
    "the whole output is in $folder.log"
}

folder_mb() { du -sm "$1" | cut -f1; }

fetch_all() {
  local packages
  packages=$(missing_packages | tr '\n' ' ')
  packages=${packages% }
  if [ -n "$packages" ]; then
    can_install || refuse_missing "$packages"
    say "installing $packages"
    # shellcheck disable=SC2086
    install_packages $packages
    packages=$(missing_packages | tr '\n' ' ')
    [ -z "$packages" ] || refuse_missing "$packages"
    say "installed"
  fi
  if needs_java && [ ! -e "$KAFKA_JARS/.complete" ]; then
    say "downloading Kafka $KAFKA_VERSION"
    fetch_jars "$KAFKA_JARS" "$PARTS/pom-kafka.xml"
    say "Kafka $KAFKA_VERSION is in the cache ($(folder_mb "$KAFKA_JARS") MB)"
  fi
  if has_component connect && [ ! -e "$PLUGINS/.complete" ]; then
    say "downloading Debezium $DEBEZIUM_VERSION"
    fetch_jars "$PLUGINS" "$PARTS/pom-debezium.xml" postgres
    say "Debezium $DEBEZIUM_VERSION is in the cache ($(folder_mb "$PLUGINS") MB)"
  fi
  find_tools
}

find_tools() {
  find_java || true
  find_postgres || true
  find_etcd || true
}

# Tells without any download whether the stack can be had on this machine.
check_all() {
  local packages
  packages=$(missing_packages | tr '\n' ' ')
  packages=${packages% }
  if [ -n "$packages" ]; then
    can_install || refuse_missing "$packages"
    say "missing, can be installed by fetch: $packages"
  fi
  if needs_java && ! jars_complete; then say "missing, can be downloaded by fetch: jars"; fi
  if [ -z "$packages" ] && { ! needs_java || jars_complete; }; then say "everything is here"; fi
}
