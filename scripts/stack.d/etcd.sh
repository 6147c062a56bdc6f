# shellcheck shell=bash disable=SC2034,SC2153
# etcd: one member by default, three on request.

etcd_url() { echo "http://127.0.0.1:$((PORT_BASE + PORT_ETCD + $1 - 1))"; }
etcd_peer_url() { echo "http://127.0.0.1:$((PORT_BASE + PORT_ETCD_PEER + $1 - 1))"; }

etcd_endpoints() {
  local i list=''
  for ((i = 1; i <= ETCD_MEMBERS; i++)); do list+="$(etcd_url "$i"),"; done
  echo "${list%,}"
}

etcd_launch() {
  local service=$1 dir i member cluster='' pace=()
  dir=$(service_dir "$service")
  i=$(index_of "$service")
  mkdir -p "$dir"
  for ((member = 1; member <= ETCD_MEMBERS; member++)); do
    cluster+="etcd-$member=$(etcd_peer_url "$member"),"
  done
  # Three members share a few cores here: a slower pulse keeps a busy machine from electing.
  if [ "$ETCD_MEMBERS" -gt 1 ]; then pace=(--heartbeat-interval 200 --election-timeout 2000); fi
  launch "$service" "$ETCD" --name "$service" --data-dir "$dir/data" \
    --listen-client-urls "$(etcd_url "$i")" --advertise-client-urls "$(etcd_url "$i")" \
    --listen-peer-urls "$(etcd_peer_url "$i")" \
    --initial-advertise-peer-urls "$(etcd_peer_url "$i")" \
    --initial-cluster "${cluster%,}" --initial-cluster-state new \
    --initial-cluster-token "onceflow-stack-$PORT_BASE" \
    --auto-compaction-mode=periodic --auto-compaction-retention=10m \
    --logger zap --log-outputs stderr "${pace[@]}"
}

# With three members this turns healthy only when two of them run.
etcd_is_ready() {
  curl -fs -m 2 "$(etcd_url "$(index_of "$1")")/health" 2>/dev/null | grep -q '"true"'
}

etcd_await() { wait_until "$1" "${ONCEFLOW_START_TIMEOUT:-60}" etcd_is_ready "$1"; }
