# shellcheck shell=bash disable=SC2034,SC2153
# status: a table for people, --json and --env for scripts. Exit code 0 only when everything is up.

print_variable() { printf '%s=%q\n' "$1" "$2"; }

status_env() {
  local service name pid
  print_variable STACK_DIR "$STACK_DIR"
  print_variable STACK_CACHE "$CACHE"
  if has_component kafka; then
    print_variable KAFKA_BROKERS "$(kafka_brokers "$PORT_KAFKA")"
    if [ "$SECURE" = yes ]; then
      print_variable KAFKA_SASL_BROKERS "$(kafka_brokers "$PORT_SASL")"
      print_variable KAFKA_SSL_BROKERS "$(kafka_brokers "$PORT_SSL")"
      print_variable KAFKA_SASL_SSL_BROKERS "$(kafka_brokers "$PORT_SASL_SSL")"
      print_variable KAFKA_USER "$KAFKA_USER"
      print_variable KAFKA_PASSWORD "$KAFKA_PASSWORD"
    fi
  fi
  if [ "$SECURE" = yes ]; then print_variable STACK_CA "$STACK_DIR/tls/ca.crt"; fi
  if has_component kafka; then print_variable KAFKA_CLASSPATH "$KAFKA_JARS/*"; fi
  if has_component etcd; then print_variable ETCD_ENDPOINTS "$(etcd_endpoints)"; fi
  if has_component source; then print_variable SOURCE_URL "$(postgres_url source)"; fi
  if has_component target; then print_variable TARGET_URL "$(postgres_url target)"; fi
  if has_component connect; then print_variable CONNECT_URL "$(connect_url)"; fi
  for service in $(services); do
    name=${service^^}
    name=${name//-/_}
    pid=$(pid_of "$service" || true)
    print_variable "${name}_PID" "$pid"
    print_variable "${name}_DIR" "$(service_dir "$service")"
    # A single node is also known by the bare name.
    case $name in *_1) print_variable "${name%_1}_PID" "$pid" ;; esac
  done
}

# The memory of a process, or a word for that there is none.
memory_or() { if [ -z "$2" ]; then echo "$1"; else rss_mb_of "$2"; fi }

json_list() {
  local item first=yes
  printf '['
  for item in ${1//,/ }; do
    [ $first = yes ] || printf ','
    printf '"%s"' "$item"
    first=no
  done
  printf ']'
}

status_json() {
  local service pid first=yes
  printf '{"dir":"%s","cache":"%s","portBase":%d' "$STACK_DIR" "$CACHE" "$PORT_BASE"
  if has_component kafka; then
    printf ',"kafkaBrokers":'
    json_list "$(kafka_brokers "$PORT_KAFKA")"
    if [ "$SECURE" = yes ]; then
      printf ',"kafkaSaslBrokers":'
      json_list "$(kafka_brokers "$PORT_SASL")"
      printf ',"kafkaSslBrokers":'
      json_list "$(kafka_brokers "$PORT_SSL")"
      printf ',"kafkaSaslSslBrokers":'
      json_list "$(kafka_brokers "$PORT_SASL_SSL")"
    fi
  fi
  if [ "$SECURE" = yes ]; then printf ',"certificateAuthority":"%s"' "$STACK_DIR/tls/ca.crt"; fi
  if has_component etcd; then printf ',"etcdEndpoints":'; json_list "$(etcd_endpoints)"; fi
  if has_component source; then printf ',"sourceUrl":"%s"' "$(postgres_url source)"; fi
  if has_component target; then printf ',"targetUrl":"%s"' "$(postgres_url target)"; fi
  if has_component connect; then printf ',"connectUrl":"%s"' "$(connect_url)"; fi
  printf ',"services":['
  for service in $(services); do
    [ $first = yes ] || printf ','
    first=no
    pid=$(pid_of "$service" || true)
    printf '{"name":"%s","state":"%s","pid":%s,"port":%d,"rssMb":%s,"dir":"%s"}' "$service" \
      "$(state_of "$service")" "${pid:-null}" "$(service_port "$service")" \
      "$(memory_or null "$pid")" "$(service_dir "$service")"
  done
  printf ']}\n'
}

status_table() {
  local service pid
  printf '%-10s %-7s %8s %6s %7s  %s\n' SERVICE STATE PID PORT 'RSS MB' FOLDER
  for service in $(services); do
    pid=$(pid_of "$service" || true)
    printf '%-10s %-7s %8s %6d %7s  %s\n' "$service" "$(state_of "$service")" "${pid:--}" \
      "$(service_port "$service")" "$(memory_or - "$pid")" \
      "$(service_dir "$service")"
  done
}

command_status() {
  local service
  if [ ! -e "$STACK_DIR/settings" ]; then
    die "$EXIT_FAILED" "there is no stack in $STACK_DIR; 'scripts/stack up' makes one"
  fi
  case $FORMAT in env) status_env ;; json) status_json ;; *) status_table ;; esac
  for service in $(services); do
    [ "$(state_of "$service")" = up ] || return "$EXIT_FAILED"
  done
}
