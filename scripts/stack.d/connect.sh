# shellcheck shell=bash disable=SC2034,SC2153
# Kafka Connect: one distributed worker with the Debezium PostgreSQL connector.

connect_url() { echo "http://127.0.0.1:$((PORT_BASE + PORT_CONNECT))"; }

connect_properties() {
  local replicas=$KAFKA_NODES
  cat <<P
bootstrap.servers=$(kafka_brokers "$PORT_KAFKA")
group.id=onceflow-stack
listeners=$(connect_url)
rest.advertised.host.name=127.0.0.1
plugin.path=$PLUGINS
plugin.discovery=service_load
key.converter=org.apache.kafka.connect.json.JsonConverter
value.converter=org.apache.kafka.connect.json.JsonConverter
config.storage.topic=_connect_configs
config.storage.replication.factor=$replicas
offset.storage.topic=_connect_offsets
offset.storage.replication.factor=$replicas
offset.storage.partitions=1
status.storage.topic=_connect_status
status.storage.replication.factor=$replicas
status.storage.partitions=1
offset.flush.interval.ms=${ONCEFLOW_CONNECT_FLUSH_MS:-10000}
topic.creation.enable=true
scheduled.rebalance.max.delay.ms=0
session.timeout.ms=10000
P
}

connect_launch() {
  local dir JVM_FLAGS
  dir=$(service_dir connect)
  mkdir -p "$dir"
  connect_properties >"$dir/worker.properties"
  jvm_flags connect
  # shellcheck disable=SC2086
  launch connect "$JAVA" "${JVM_FLAGS[@]}" -Xmx512m ${ONCEFLOW_CONNECT_JVM:-} \
    -cp "$KAFKA_JARS/*" org.apache.kafka.connect.cli.ConnectDistributed "$dir/worker.properties"
}

# The list of connectors is served only after the worker has joined its group.
connect_is_ready() { curl -fs -m 5 -o /dev/null "$(connect_url)/connectors" 2>/dev/null; }

connect_await() { wait_until connect "${ONCEFLOW_START_TIMEOUT:-120}" connect_is_ready; }
