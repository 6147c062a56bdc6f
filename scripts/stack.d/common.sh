# shellcheck shell=bash disable=SC2034,SC2153
# What every part of the stack script uses: messages, settings, ports and processes.
# Invariants: a service's process runs in a session of its own with its working directory inside
# the service's folder, so a process is found again even when its pid file is lost; a pid file
# holds the pid and the start time of the process, so a pid that was reused is never signalled.

EXIT_FAILED=1 EXIT_USAGE=2 EXIT_UNAVAILABLE=3 EXIT_PORT_TAKEN=4

now_ms() { local t=${EPOCHREALTIME/[.,]/}; echo $((t / 1000)); }
STARTED_MS=$(now_ms)

say() {
  local ms=$(($(now_ms) - STARTED_MS))
  printf '[%3d.%d s] %s\n' $((ms / 1000)) $((ms % 1000 / 100)) "$*" >&2
}
die() { local code=$1; shift; printf 'stack: %s\n' "$@" >&2; exit "$code"; }

# --- settings -----------------------------------------------------------------------------------

# Offsets from the port base. Each stack takes 24 ports in a row.
PORT_KAFKA=0 PORT_CONTROLLER=3 PORT_SASL=6 PORT_SSL=9 PORT_SASL_SSL=12
PORT_CONNECT=15 PORT_SOURCE=16 PORT_TARGET=17 PORT_ETCD=18 PORT_ETCD_PEER=21
PORTS_PER_STACK=24
ALL_COMPONENTS='kafka etcd source target connect'

load_settings() {
  # What was chosen at the first `up` is remembered, so that every later command agrees with it.
  PORT_BASE=27000 KAFKA_NODES=1 ETCD_MEMBERS=1 SECURE=no COMPONENTS=''
  # shellcheck disable=SC1091
  if [ -e "$STACK_DIR/settings" ]; then . "$STACK_DIR/settings"; fi
}

save_settings() {
  mkdir -p "$STACK_DIR"
  chmod a+x "$STACK_DIR" 2>/dev/null || true
  {
    echo "PORT_BASE=$PORT_BASE"
    echo "KAFKA_NODES=$KAFKA_NODES"
    echo "ETCD_MEMBERS=$ETCD_MEMBERS"
    echo "SECURE=$SECURE"
    echo "COMPONENTS='$COMPONENTS'"
  } >"$STACK_DIR/settings.new"
  mv "$STACK_DIR/settings.new" "$STACK_DIR/settings"
}

has_component() { [[ " $COMPONENTS " == *" $1 "* ]]; }

# Every service of the chosen components, in the order in which they start.
services() {
  local component i
  for component in $ALL_COMPONENTS; do
    has_component "$component" || continue
    case $component in
      kafka) for ((i = 1; i <= KAFKA_NODES; i++)); do echo "kafka-$i"; done ;;
      etcd) for ((i = 1; i <= ETCD_MEMBERS; i++)); do echo "etcd-$i"; done ;;
      *) echo "$component" ;;
    esac
  done
}

# expand_services NAME...: 'kafka' and 'etcd' mean all their nodes, 'all' means everything.
expand_services() {
  local name found service
  for name in "$@"; do
    found=no
    for service in $(services); do
      if [ "$name" = all ] || [ "$name" = "$service" ] || [ "$name" = "${service%-*}" ]; then
        echo "$service"
        found=yes
      fi
    done
    if [ $found = no ]; then
      die "$EXIT_USAGE" "no service '$name' in this stack; there are: $(services | tr '\n' ' ')"
    fi
  done
}

component_of() { echo "${1%-*}"; }
index_of() { case $1 in *-*) echo "${1##*-}" ;; *) echo 1 ;; esac }
service_dir() { echo "$STACK_DIR/$1"; }

# The port that a client of the service uses.
service_port() {
  local i
  i=$(index_of "$1")
  case $(component_of "$1") in
    kafka) echo $((PORT_BASE + PORT_KAFKA + i - 1)) ;;
    etcd) echo $((PORT_BASE + PORT_ETCD + i - 1)) ;;
    connect) echo $((PORT_BASE + PORT_CONNECT)) ;;
    source) echo $((PORT_BASE + PORT_SOURCE)) ;;
    target) echo $((PORT_BASE + PORT_TARGET)) ;;
  esac
}

# Every port that the service listens on.
service_ports() {
  local i
  i=$(index_of "$1")
  service_port "$1"
  case $(component_of "$1") in
    etcd) echo $((PORT_BASE + PORT_ETCD_PEER + i - 1)) ;;
    kafka)
      echo $((PORT_BASE + PORT_CONTROLLER + i - 1))
      if [ "$SECURE" = yes ]; then
        echo $((PORT_BASE + PORT_SASL + i - 1))
        echo $((PORT_BASE + PORT_SSL + i - 1))
        echo $((PORT_BASE + PORT_SASL_SSL + i - 1))
      fi
      ;;
  esac
}

port_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

port_owner() {
  command -v ss >/dev/null || return 0
  ss -Hltnp "sport = :$1" 2>/dev/null | sed -n 's/.*users:((\(.*\)))/ by \1/p' | head -1
}

refuse_taken_ports() {
  local service port taken=()
  for service in "$@"; do
    for port in $(service_ports "$service"); do
      if port_open "$port"; then taken+=("port $port ($service) is taken$(port_owner "$port")"); fi
    done
  done
  if [ ${#taken[@]} -gt 0 ]; then
    die "$EXIT_PORT_TAKEN" "${taken[@]}" "choose another range with --port-base N"
  fi
}

# --- processes ----------------------------------------------------------------------------------

# Field 22 of stat: the start time. The name in brackets may hold blanks, so cut after it.
start_time_of() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  [ "$1" != Z ] || return 1
  echo "${20}"
}

# launch SERVICE COMMAND...: starts the command in a session of its own and writes the pid file.
launch() {
  local service=$1 dir pid
  shift
  dir=$(service_dir "$service")
  # The lock of this script must not live on in the service: descriptor 9 is closed.
  (cd "${LAUNCH_DIR:-$dir}" && exec setsid "$@" >>"$dir/log" 2>&1 </dev/null 9>&-) &
  pid=$!
  echo "$pid $(start_time_of $pid)" >"$dir/pid"
}

# The pid of a running service; fails when it does not run.
pid_of() {
  local pid started
  read -r pid started 2>/dev/null <"$(service_dir "$1")/pid" || return 1
  [ -n "$started" ] && [ "$(start_time_of "$pid")" = "$started" ] || return 1
  echo "$pid"
}

is_running() { pid_of "$1" >/dev/null; }

# The main process and everything below it. PostgreSQL's children each make a session of their
# own, so the process group is not enough.
tree_of() {
  local pid=$1 child
  echo "$pid"
  # shellcheck disable=SC2013
  for child in $(cat "/proc/$pid/task/"*/children 2>/dev/null); do tree_of "$child"; done
}

# state_of SERVICE: up, frozen or down.
state_of() {
  local pid
  pid=$(pid_of "$1") || { echo down; return; }
  case $(awk '/^State:/ {print $2}' "/proc/$pid/status" 2>/dev/null) in
    T) echo frozen ;;
    '') echo down ;;
    *) echo up ;;
  esac
}

rss_mb_of() {
  local pid total=0 kb
  for pid in $(tree_of "$1"); do
    # Pss counts shared memory once; it needs a newer kernel, so fall back on Rss.
    kb=$(awk '/^Pss:/ {print $2; exit}' "/proc/$pid/smaps_rollup" 2>/dev/null) ||
      kb=$(awk '/^VmRSS:/ {print $2}' "/proc/$pid/status" 2>/dev/null)
    total=$((total + ${kb:-0}))
  done
  echo $((total / 1024))
}

signal_tree() {
  local signal=$1 pid=$2 victim
  # Stop the parent first, so that no child is born between the listing and the signal.
  if [ "$signal" != CONT ]; then kill -STOP "$pid" 2>/dev/null || true; fi
  # shellcheck disable=SC2046
  for victim in $(tree_of "$pid" | tac); do kill "-$signal" "$victim" 2>/dev/null || true; done
}

# wait_gone SECONDS PID...: fails when one of them still runs after that time.
wait_gone() {
  local deadline pid
  deadline=$(($(now_ms) + $1 * 1000))
  shift
  for pid in "$@"; do
    while start_time_of "$pid" >/dev/null; do
      [ "$(now_ms)" -lt $deadline ] || return 1
      sleep 0.05
    done
  done
}

# wait_until SERVICE SECONDS COMMAND...: waits until the command succeeds or the service dies.
wait_until() {
  local service=$1 seconds=$2 deadline
  shift 2
  deadline=$(($(now_ms) + seconds * 1000))
  until "$@"; do
    if ! is_running "$service"; then
      tail -n 15 "$(service_dir "$service")/log" >&2 || true
      die "$EXIT_FAILED" "$service ended while it was starting; its log is $(service_dir "$service")/log"
    fi
    if [ "$(now_ms)" -gt $deadline ]; then
      tail -n 15 "$(service_dir "$service")/log" >&2 || true
      die "$EXIT_FAILED" "$service is not ready after $seconds s; its log is $(service_dir "$service")/log"
    fi
    sleep 0.1
  done
}

# pids_inside FOLDER...: processes whose working directory is inside one of the folders and that run
# one of the programs which the stack starts. A person's shell is left alone.
pids_inside() {
  local proc cwd exe folder
  for proc in /proc/[0-9]*; do
    cwd=$(readlink "$proc/cwd" 2>/dev/null) || continue
    for folder in "$@"; do
      case $cwd/ in "$folder"/*) ;; *) continue ;; esac
      exe=$(readlink "$proc/exe" 2>/dev/null) || continue
      exe=${exe% (deleted)}
      case ${exe##*/} in java | etcd | postgres) echo "${proc#/proc/}" ;; esac
    done
  done
}

# Processes of this stack, whether a pid file knows them or not.
stray_pids() {
  local file folders
  folders=("$STACK_DIR")
  for file in "$STACK_DIR"/*/data-dir; do
    if [ -e "$file" ] && [[ $(<"$file") != "$STACK_DIR"/* ]]; then folders+=("$(<"$file")"); fi
  done
  pids_inside "${folders[@]}"
}
