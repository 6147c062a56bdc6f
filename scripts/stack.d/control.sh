# shellcheck shell=bash disable=SC2034,SC2153
# up, down and what chaos tests do to single services: kill, stop, start, freeze, thaw.

service_launch() {
  case $(component_of "$1") in
    kafka) kafka_launch "$1" ;;
    etcd) etcd_launch "$1" ;;
    source | target) postgres_launch "$1" ;;
    connect) connect_launch ;;
  esac
}

service_await() {
  case $(component_of "$1") in
    kafka) kafka_await "$1" ;;
    etcd) etcd_await "$1" ;;
    source | target) postgres_await "$1" ;;
    connect) connect_await ;;
  esac
}

needs_of_connect() {
  if has_component connect && ! has_component kafka; then
    die "$EXIT_USAGE" "connect needs kafka: --only kafka,connect"
  fi
}

# start_services SERVICE...: all are launched before the first is waited for, except Connect,
# which would only fill its log while there is no broker.
start_services() {
  local service
  refuse_taken_ports "$@"
  for service in "$@"; do
    [ "$service" != connect ] || continue
    say "starting $service"
    service_launch "$service"
  done
  for service in "$@"; do
    if [ "$service" = connect ]; then
      say "starting connect"
      connect_launch
    fi
    service_await "$service"
    say "$service is up (pid $(pid_of "$service"), port $(service_port "$service"))"
  done
}

not_running() {
  local service
  for service in "$@"; do is_running "$service" || echo "$service"; done
}

command_up() {
  local all missing service
  # What runs already stays part of the stack, whatever --only says now.
  for service in $(known_services); do
    if is_running "$service" && ! has_component "$(component_of "$service")"; then
      COMPONENTS="$COMPONENTS $(component_of "$service")"
    fi
  done
  needs_of_connect
  fetch_all
  save_settings
  mapfile -t all < <(services)
  mapfile -t missing < <(not_running "${all[@]}")
  for service in "${all[@]}"; do
    if [ "$(state_of "$service")" = frozen ]; then say "$service is frozen; thaw it first"; fi
  done
  if [ ${#missing[@]} = 0 ]; then
    say "already up: ${all[*]} ($STACK_DIR)"
    return
  fi
  start_services "${missing[@]}"
  say "the stack is up in $STACK_DIR; 'scripts/stack status --env' prints its addresses"
}

# A service that was started with other settings must not be left behind.
known_services() {
  local file
  for file in "$STACK_DIR"/*/pid; do
    [ -e "$file" ] || continue
    file=${file%/pid}
    echo "${file##*/}"
  done
}

# stop_services MODE SERVICE...: all are told at once. What does not end in time is killed; the last
# Kafka node of three never ends by itself once the others are gone, so three get less time.
stop_services() {
  local mode=$1 service pid pids=() signal seconds=15
  shift
  if [[ " $* " == *' kafka-1 '*' kafka-2 '* ]]; then seconds=5; fi
  for service in "$@"; do
    pid=$(pid_of "$service") || continue
    signal=TERM
    case $(component_of "$service") in
      source | target)
        case $mode in fast) signal=INT ;; immediate) signal=QUIT ;; smart) signal=TERM ;; esac
        ;;
    esac
    kill "-$signal" "$pid" 2>/dev/null || true
    # A frozen process takes the signal only after it was thawed.
    if [ "$(state_of "$service")" = frozen ]; then signal_tree CONT "$pid"; fi
    pids+=("$pid")
  done
  if [ ${#pids[@]} = 0 ]; then return; fi
  if wait_gone $seconds "${pids[@]}"; then
    for service in "$@"; do keep_archive "$service"; done
  else
    for service in "$@"; do
      pid=$(pid_of "$service") || continue
      say "$service did not end in time: SIGKILL"
      signal_tree KILL "$pid"
    done
    wait_gone 10 "${pids[@]}" || die "$EXIT_FAILED" "some process does not die: ${pids[*]}"
  fi
}

forget_pids() {
  local service
  for service in "$@"; do rm -f "$(service_dir "$service")/pid"; done
}

command_down() {
  local all pid data strays
  mapfile -t all < <(known_services)
  # Connect goes first: it writes its offsets to Kafka when it stops.
  if [[ " ${all[*]} " == *' connect '* ]]; then stop_services fast connect; fi
  if [ ${#all[@]} -gt 0 ]; then stop_services fast "${all[@]}"; fi
  # Whatever an interrupted start left without a pid file, and children of a killed server.
  for pid in $(stray_pids); do kill -KILL "$pid" 2>/dev/null && say "killed a stray process: $pid"; done
  # shellcheck disable=SC2046
  wait_gone 5 $(stray_pids) || true
  strays=$(stray_pids)
  [ -z "$strays" ] || die "$EXIT_FAILED" "still running: $strays"
  for data in "$STACK_DIR"/*/data-dir; do
    if [ -e "$data" ]; then postgres_clear_lock "$(cat "$data")"; fi
  done
  if [ ${#all[@]} -gt 0 ]; then forget_pids "${all[@]}"; fi
  say "the stack is down ($STACK_DIR)"
}

command_wipe() {
  local file data
  if [ ! -e "$STACK_DIR/settings" ]; then
    rm -f "$STACK_DIR/lock"
    rmdir "$STACK_DIR" 2>/dev/null ||
      die "$EXIT_USAGE" "$STACK_DIR is not the folder of a stack; nothing was deleted"
    say "nothing to wipe in $STACK_DIR"
    return
  fi
  command_down
  for file in "$STACK_DIR"/*/data-dir; do
    [ -e "$file" ] || continue
    data=$(cat "$file")
    # Only data that this script placed, wherever it lies.
    if [ -e "$data/PG_VERSION" ] || [ -z "$(ls -A "$data" 2>/dev/null)" ]; then rm -rf "$data"; fi
  done
  rm -rf "$STACK_DIR"
  say "deleted $STACK_DIR"
}

command_kill() {
  local service pid names tree
  names=$(expand_services "$@")
  for service in $names; do
    pid=$(pid_of "$service") || { say "$service is not running"; continue; }
    mapfile -t tree < <(tree_of "$pid")
    signal_tree KILL "$pid"
    wait_gone 10 "${tree[@]}" || die "$EXIT_FAILED" "$service (pid $pid) does not die"
    say "killed $service (pid $pid)"
  done
}

command_stop() {
  local names list
  list=$(expand_services "$@")
  mapfile -t names <<<"$list"
  stop_services "$MODE" "${names[@]}"
  say "stopped ${names[*]}"
}

command_start() {
  local names missing list
  list=$(expand_services "$@")
  mapfile -t names <<<"$list"
  fetch_all
  mapfile -t missing < <(not_running "${names[@]}")
  if [ ${#missing[@]} = 0 ]; then say "already up: ${names[*]}"; return; fi
  start_services "${missing[@]}"
}

command_freeze() {
  local service pid names
  names=$(expand_services "$@")
  for service in $names; do
    pid=$(pid_of "$service") || die "$EXIT_FAILED" "$service is not running"
    signal_tree STOP "$pid"
    say "froze $service (pid $pid)"
  done
}

command_thaw() {
  local service pid names
  names=$(expand_services "$@")
  for service in $names; do
    pid=$(pid_of "$service") || die "$EXIT_FAILED" "$service is not running"
    signal_tree CONT "$pid"
    say "thawed $service (pid $pid)"
  done
}
