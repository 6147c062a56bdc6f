# shellcheck shell=bash disable=SC2034,SC2153
# Debezium connectors of the source database, with the options that onceflow recommends.

connect_request() {
  local method=$1 path=$2
  shift 2
  curl -sS -m 60 -X "$method" -H 'Content-Type: application/json' "$@" "$(connect_url)$path"
}

connect_code() { connect_request "$1" "$2" -o /dev/null -w '%{http_code}' "${@:3}"; }

json_text() {
  local text=${1//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}

# connector_settings: name=value lines; a later line for the same name wins.
connector_settings() {
  local kind
  cat <<P
connector.class=io.debezium.connector.postgresql.PostgresConnector
tasks.max=1
plugin.name=pgoutput
database.hostname=127.0.0.1
database.port=$(service_port source)
database.user=postgres
database.password=unused
database.dbname=$CONNECTOR_DB
topic.prefix=$CONNECTOR_PREFIX
slot.name=$CONNECTOR_SLOT
publication.name=$CONNECTOR_PUBLICATION
snapshot.mode=$CONNECTOR_SNAPSHOT
skipped.operations=none
decimal.handling.mode=$CONNECTOR_DECIMAL
binary.handling.mode=bytes
interval.handling.mode=string
topic.creation.default.partitions=$CONNECTOR_PARTITIONS
topic.creation.default.replication.factor=$KAFKA_NODES
P
  # Without a list the publication names every table, also those that are made later.
  if [ -n "$CONNECTOR_TABLES" ]; then
    echo "table.include.list=$CONNECTOR_TABLES"
    echo 'publication.autocreate.mode=filtered'
  else
    echo 'publication.autocreate.mode=all_tables'
  fi
  for kind in key value; do
    echo "$kind.converter=org.apache.kafka.connect.json.JsonConverter"
    echo "$kind.converter.schemas.enable=$([ "$CONNECTOR_SCHEMAS" = on ] && echo true || echo false)"
    # Otherwise a NULL arrives as the default value of its column.
    echo "$kind.converter.replace.null.with.default=false"
  done
  if [ ${#CONNECTOR_SET[@]} -gt 0 ]; then printf '%s\n' "${CONNECTOR_SET[@]}"; fi
}

connector_config() {
  local name value order=() first=yes
  local -A values=()
  while IFS= read -r line; do
    name=${line%%=*}
    value=${line#*=}
    [ -n "${values[$name]+set}" ] || order+=("$name")
    values[$name]=$value
  done < <(connector_settings)
  printf '{'
  for name in "${order[@]}"; do
    [ $first = yes ] || printf ','
    first=no
    printf '\n  %s: %s' "$(json_text "$name")" "$(json_text "${values[$name]}")"
  done
  printf '\n}\n'
}

connector_defaults() {
  local plain=${CONNECTOR//[^A-Za-z0-9_]/_}
  CONNECTOR_PREFIX=${CONNECTOR_PREFIX:-$CONNECTOR}
  CONNECTOR_SLOT=${CONNECTOR_SLOT:-${plain,,}}
  CONNECTOR_PUBLICATION=${CONNECTOR_PUBLICATION:-${plain,,}}
  case $CONNECTOR_SCHEMAS in on | off) ;; *) die "$EXIT_USAGE" "--schemas is on or off" ;; esac
  # Without schemas the scale of a decimal would be nowhere in the event, so it travels as text.
  if [ -z "$CONNECTOR_DECIMAL" ]; then
    CONNECTOR_DECIMAL=$([ "$CONNECTOR_SCHEMAS" = on ] && echo precise || echo string)
  fi
}

slot_exists() {
  [ -n "$(run_psql source -d "$CONNECTOR_DB" -qtAc \
    "select 1 from pg_replication_slots where slot_name = '$CONNECTOR_SLOT'")" ]
}

slot_active() {
  [ "$(run_psql source -d "$CONNECTOR_DB" -qtAc \
    "select active from pg_replication_slots where slot_name = '$CONNECTOR_SLOT'")" = t ]
}

# The worker answers 409 while it moves connectors, and 500 while it starts.
connect_retry() {
  local wanted=$1 code='' attempt
  shift
  for attempt in {1..60}; do
    code=$(connect_code "$@" || true)
    if [[ $code =~ ^($wanted)$ ]]; then return; fi
    case $code in 409 | 500 | 503 | 000 | '') sleep 0.5 ;; *) break ;; esac
  done
  die "$EXIT_FAILED" "Connect answered $code to $1 $2 (attempt $attempt)" \
    "$(connect_request "$@" 2>&1 | head -c 600)"
}

# A connector that is created again under its old name would go on from the offsets of its
# forerunner. When the slot of these is gone it fails, so they are forgotten first.
forget_old_offsets() {
  if slot_exists; then return; fi
  case $(connect_request GET "/connectors/$CONNECTOR/offsets") in
    *'"offsets":[]'*) return ;;
  esac
  say "$CONNECTOR: its slot is gone, so the offsets that Connect remembers are deleted"
  connect_retry 200 DELETE "/connectors/$CONNECTOR/offsets"
}

connector_state() { connect_request GET "/connectors/$CONNECTOR/status" 2>/dev/null || true; }

# Waits until the connector and its task run; --streaming also waits for the end of the snapshot.
await_connector() {
  local deadline state
  deadline=$(($(now_ms) + CONNECTOR_TIMEOUT * 1000))
  while [ "$(now_ms)" -lt $deadline ]; do
    state=$(connector_state)
    case $state in
      *'"state":"FAILED"'*)
        die "$EXIT_FAILED" "the connector $CONNECTOR failed" "$(head -c 1500 <<<"$state")" ;;
      *'"connector":{"state":"RUNNING"'*'"tasks":[{"id":0,"state":"RUNNING"'*)
        if [ "$CONNECTOR_STREAMING" = no ] || slot_active; then return; fi ;;
    esac
    sleep 0.3
  done
  die "$EXIT_FAILED" "the connector $CONNECTOR is not running after $CONNECTOR_TIMEOUT s" "$state"
}

connector_create() {
  local config body code
  connector_defaults
  config=$(connector_config)
  body=$(printf '{"name": %s, "initial_state": "STOPPED", "config": %s}' \
    "$(json_text "$CONNECTOR")" "$config")
  code=$(connect_code GET "/connectors/$CONNECTOR")
  if [ "$code" = 200 ]; then
    connect_retry '200|201' PUT "/connectors/$CONNECTOR/config" --data "$config"
    say "$CONNECTOR existed; its configuration is set"
  else
    connect_retry 201 POST /connectors --data "$body"
    forget_old_offsets
  fi
  connect_retry '202|204' PUT "/connectors/$CONNECTOR/resume"
  printf '%s\n' "$config" >"$(service_dir connect)/connector-$CONNECTOR.json"
  await_connector
  say "$CONNECTOR is running (topics $CONNECTOR_PREFIX.*)"
}

# Deletes the connector and what it left: offsets, slot, publication. Topics stay.
connector_delete() {
  connector_defaults
  if [ "$(connect_code GET "/connectors/$CONNECTOR")" = 404 ]; then
    say "$CONNECTOR does not exist"
  else
    connect_retry '202|204' PUT "/connectors/$CONNECTOR/stop"
    connect_retry 200 DELETE "/connectors/$CONNECTOR/offsets"
    connect_retry 204 DELETE "/connectors/$CONNECTOR"
  fi
  run_psql source -d "$CONNECTOR_DB" -q >/dev/null <<SQL
select pg_drop_replication_slot(slot_name) from pg_replication_slots
  where slot_name = '$CONNECTOR_SLOT' and not active;
set client_min_messages = warning;
drop publication if exists "$CONNECTOR_PUBLICATION";
SQL
  rm -f "$(service_dir connect)/connector-$CONNECTOR.json"
  say "$CONNECTOR is deleted, with its slot and publication; its topics stay"
}

connector_status() {
  local state
  state=$(connector_state)
  printf '%s\n' "$state"
  case $state in *'"tasks":[{"id":0,"state":"RUNNING"'*) ;; *) return "$EXIT_FAILED" ;; esac
}

command_connector() {
  local action=${1:-}
  CONNECTOR=${2:-}
  if [ -z "$CONNECTOR" ]; then die "$EXIT_USAGE" "use: connector create|delete|status NAME"; fi
  if ! is_running connect || ! is_running source; then
    die "$EXIT_FAILED" "connect and source must be up for this"
  fi
  case $action in
    create) connector_create ;;
    delete) connector_delete ;;
    status) connector_status ;;
    *) die "$EXIT_USAGE" "use: connector create|delete|status NAME" ;;
  esac
}
