# shellcheck shell=bash disable=SC2034,SC2153
# Two PostgreSQL servers: `source` with logical WAL for Debezium, `target` with prepared
# transactions for the sink. Both listen on 127.0.0.1 only and trust whoever connects.

# The server refuses to run as root, so root runs it as another user.
postgres_user() {
  if [ "$(id -u)" != 0 ]; then id -un; elif id postgres >/dev/null 2>&1; then
    echo postgres
  else echo nobody; fi
}

# setpriv replaces itself by the command, so the pid that we know is the server's own.
as_postgres() {
  local user
  user=$(postgres_user)
  if [ "$user" = "$(id -un)" ]; then "$@"; else
    setpriv --reuid="$user" --regid="$(id -gn "$user")" --init-groups -- "$@"
  fi
}

# The data lies in the stack's folder, unless the server's user cannot walk there (a checkout under
# /root, for example): then in a temporary folder, whose name is kept in the file data-dir.
postgres_data() {
  local service=$1 dir candidate
  dir=$(service_dir "$service")
  if [ -e "$dir/data-dir" ]; then cat "$dir/data-dir"; return; fi
  mkdir -p "$dir"
  if as_postgres test -x "$dir" 2>/dev/null; then
    candidate=$dir/data
    mkdir -p "$candidate"
  else
    candidate=$(mktemp -d "${ONCEFLOW_PGTMP:-/tmp}/onceflow-$service-XXXXXX")
    if ! { chmod 755 "$candidate" && as_postgres test -x "$candidate"; } 2>/dev/null; then
      rmdir "$candidate"
      candidate=$(mktemp -d "/var/tmp/onceflow-$service-XXXXXX")
    fi
    say "$service: the user $(postgres_user) cannot reach $dir; its data is in $candidate"
  fi
  [ "$(id -u)" != 0 ] || chown "$(postgres_user):" "$candidate"
  chmod 700 "$candidate"
  echo "$candidate" >"$dir/data-dir"
  echo "$candidate"
}

postgres_configuration() {
  cat <<P
listen_addresses = '127.0.0.1'
port = $(service_port "$1")
unix_socket_directories = ''
# Mapped files in the data folder: nothing is left in /dev/shm when the server is killed.
dynamic_shared_memory_type = mmap
shared_buffers = 64MB
max_connections = 100
timezone = 'UTC'
log_timezone = 'UTC'
fsync = on
max_prepared_transactions = 64
max_wal_size = 512MB
log_line_prefix = '%m [%p] '
P
  if [ "$1" = source ]; then
    printf 'wal_level = logical\nmax_wal_senders = 20\nmax_replication_slots = 20\n'
  fi
  if [ "$SECURE" = yes ]; then
    printf "ssl = on\nssl_cert_file = 'server.crt'\nssl_key_file = 'server.key'\n"
  fi
}

# With --secure the role `secured` must give a password, and only over TLS.
postgres_access() {
  if [ "$SECURE" = yes ]; then
    echo 'hostssl all secured 127.0.0.1/32 scram-sha-256'
    echo 'hostnossl all secured 127.0.0.1/32 reject'
  fi
  echo 'host all all 127.0.0.1/32 trust'
  echo 'host replication all 127.0.0.1/32 trust'
}

postgres_install_key() {
  local data=$1
  make_certificates
  cp "$STACK_DIR/tls/broker.crt" "$data/server.crt"
  cp "$STACK_DIR/tls/broker.key" "$data/server.key"
  [ "$(id -u)" != 0 ] || chown "$(postgres_user):" "$data/server.crt" "$data/server.key"
  chmod 600 "$data/server.key"
}

postgres_initialise() {
  local service=$1 data=$2 dir
  dir=$(service_dir "$service")
  if [ -e "$data/PG_VERSION" ]; then return; fi
  (
    cd "$data"
    as_postgres "$PGBIN/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 \
      --no-sync 9>&-
  ) >"$dir/initdb.log" 2>&1 </dev/null || {
    tail -n 10 "$dir/initdb.log" >&2
    die "$EXIT_FAILED" "initdb failed for $service; see $dir/initdb.log"
  }
  echo "include = 'stack.conf'" >>"$data/postgresql.conf"
}

postgres_launch() {
  local service=$1 data user
  data=$(postgres_data "$service")
  user=$(postgres_user)
  postgres_initialise "$service" "$data"
  postgres_clear_lock "$data"
  postgres_configuration "$service" >"$data/stack.conf"
  postgres_access >"$data/pg_hba.conf"
  [ "$SECURE" = no ] || postgres_install_key "$data"
  if [ "$user" = "$(id -un)" ]; then
    LAUNCH_DIR=$data launch "$service" "$PGBIN/postgres" -D "$data"
  else
    chown "$user:" "$data/stack.conf" "$data/pg_hba.conf"
    LAUNCH_DIR=$data launch "$service" setpriv --reuid="$user" --regid="$(id -gn "$user")" \
      --init-groups -- "$PGBIN/postgres" -D "$data"
  fi
}

run_psql() {
  local service=$1
  shift
  PGTZ=UTC PGCONNECT_TIMEOUT=5 "$PGBIN/psql" -X -h 127.0.0.1 -p "$(service_port "$service")" \
    -U postgres "$@"
}

postgres_is_ready() { run_psql "$1" -d postgres -qtAc 'select 1' >/dev/null 2>&1; }

# Each server has one database, named as the service.
postgres_await() {
  local service=$1
  wait_until "$service" "${ONCEFLOW_START_TIMEOUT:-60}" postgres_is_ready "$service"
  if [ -z "$(run_psql "$service" -d postgres -qtAc \
    "select 1 from pg_database where datname = '$service'")" ]; then
    run_psql "$service" -d postgres -q -c "create database $service"
  fi
  if [ "$SECURE" = yes ]; then
    run_psql "$service" -d postgres -q >/dev/null <<'SQL'
do $$ begin
  if not exists (select from pg_roles where rolname = 'secured') then
    create role secured login superuser password 'secured-secret';
  end if;
end $$;
SQL
  fi
}

postgres_url() { echo "postgres://postgres@127.0.0.1:$(service_port "$1")/$1"; }

# A server that was killed leaves its lock file and a small block of shared memory. Where process 1
# does not reap, the server stays as a zombie, and the next one would take it for alive. Only what
# is surely gone is cleared away: no process works in the data folder any more.
postgres_clear_lock() {
  local data=$1 pid id deadline
  [ -e "$data/postmaster.pid" ] || return 0
  pid=$(head -n 1 "$data/postmaster.pid")
  if start_time_of "$pid" >/dev/null && [ "$(readlink "/proc/$pid/cwd")" = "$data" ]; then
    return 0
  fi
  # Children of a killed server end by themselves, within moments.
  deadline=$(($(now_ms) + 10000))
  while [ -n "$(pids_inside "$data")" ]; do
    [ "$(now_ms)" -lt $deadline ] || die "$EXIT_FAILED" "processes still work in $data"
    sleep 0.1
  done
  id=$(awk 'NR == 7 {print $2}' "$data/postmaster.pid")
  if [ -n "$id" ]; then ipcrm -m "$id" 2>/dev/null || true; fi
  rm -f "$data/postmaster.pid"
}
