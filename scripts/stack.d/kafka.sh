# shellcheck shell=bash disable=SC2034,SC2153
# Kafka in KRaft mode: every node is broker and controller. One node by default, three on request.

KAFKA_USER=alice KAFKA_PASSWORD=alice-secret

# Loading classes is most of a start. The JVM can map them from an archive that it wrote at the end
# of an earlier run: a third of the processor time. One archive per program, made on the first clean
# stop; a JVM that cannot use it ignores it.
jvm_archive() { echo "$CACHE/$1-$KAFKA_VERSION-java-$JAVA_VERSION.jsa"; }

jvm_flags() {
  local service=$1 archive
  archive=$(jvm_archive "$(component_of "$service")")
  # The first compiler alone is enough for tests, and does not fight for the processor at the start.
  JVM_FLAGS=(-Xms64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1
    "-Dlog4j2.configurationFile=$PARTS/log4j2.xml")
  if [ -e "$archive" ]; then
    JVM_FLAGS+=("-XX:SharedArchiveFile=$archive")
  elif [ -w "$CACHE" ]; then
    JVM_FLAGS+=("-XX:ArchiveClassesAtExit=$(service_dir "$service")/classes.jsa")
  fi
}

# keep_archive SERVICE: after a clean stop.
keep_archive() {
  local made archive
  made=$(service_dir "$1")/classes.jsa
  if [ ! -s "$made" ] || ! find_java; then return 0; fi
  archive=$(jvm_archive "$(component_of "$1")")
  # Two steps, since the cache may lie on another file system and be read at the same time.
  if [ ! -e "$archive" ] && cp "$made" "$archive.$$" 2>/dev/null; then
    mv "$archive.$$" "$archive"
  fi
  rm -f "$made"
}

java_tool() {
  local archive flags=()
  archive=$(jvm_archive kafka)
  if [ -e "$archive" ]; then flags=("-XX:SharedArchiveFile=$archive"); fi
  "$JAVA" -Xmx128m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC "${flags[@]}" \
    -Dlog4j2.configurationFile="$PARTS/log4j2-tools.xml" -cp "$KAFKA_JARS/*" "$@"
}

kafka_voters() {
  local i voters=''
  for ((i = 1; i <= KAFKA_NODES; i++)); do
    voters+="$i@127.0.0.1:$((PORT_BASE + PORT_CONTROLLER + i - 1)),"
  done
  echo "${voters%,}"
}

# kafka_brokers OFFSET: the bootstrap list of one kind of listener.
kafka_brokers() {
  local i list=''
  for ((i = 1; i <= KAFKA_NODES; i++)); do list+="127.0.0.1:$((PORT_BASE + $1 + i - 1)),"; done
  echo "${list%,}"
}

# A certificate authority of our own and one certificate for localhost, as PEM: no keytool needed.
make_certificates() {
  local dir=$STACK_DIR/tls
  if [ -e "$dir/broker.pem" ]; then return; fi
  mkdir -p "$dir"
  (
    cd "$dir"
    openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj '/CN=stack test authority' \
      -keyout ca.key -out ca.crt
    openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout broker.key -out broker.csr
    printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\n' >names
    openssl x509 -req -in broker.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 \
      -extfile names -out broker.crt
    openssl pkcs8 -topk8 -nocrypt -in broker.key -out broker.p8
    cat broker.p8 broker.crt ca.crt >broker.pem
  ) >"$dir/openssl.log" 2>&1 || die "$EXIT_FAILED" "openssl failed; see $dir/openssl.log"
}

kafka_secure_listeners() {
  local i=$1
  [ "$SECURE" = yes ] || return 0
  printf ',SASL_PLAINTEXT://127.0.0.1:%d' $((PORT_BASE + PORT_SASL + i - 1))
  printf ',SSL://127.0.0.1:%d' $((PORT_BASE + PORT_SSL + i - 1))
  printf ',SASL_SSL://127.0.0.1:%d' $((PORT_BASE + PORT_SASL_SSL + i - 1))
}

kafka_secure_properties() {
  local listener login=org.apache.kafka.common.security
  [ "$SECURE" = yes ] || return 0
  echo 'sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512'
  for listener in sasl_plaintext sasl_ssl; do
    echo "listener.name.$listener.plain.sasl.jaas.config=$login.plain.PlainLoginModule required" \
      "user_$KAFKA_USER=\"$KAFKA_PASSWORD\";"
    echo "listener.name.$listener.scram-sha-256.sasl.jaas.config=$login.scram.ScramLoginModule required;"
    echo "listener.name.$listener.scram-sha-512.sasl.jaas.config=$login.scram.ScramLoginModule required;"
  done
  for listener in ssl sasl_ssl; do
    echo "listener.name.$listener.ssl.keystore.type=PEM"
    echo "listener.name.$listener.ssl.keystore.location=$STACK_DIR/tls/broker.pem"
    echo "listener.name.$listener.ssl.truststore.type=PEM"
    echo "listener.name.$listener.ssl.truststore.location=$STACK_DIR/tls/ca.crt"
  done
}

kafka_properties() {
  local i=$1 replicas=$KAFKA_NODES in_sync=$((KAFKA_NODES > 1 ? 2 : 1)) plain secure
  plain=PLAINTEXT://127.0.0.1:$((PORT_BASE + PORT_KAFKA + i - 1))
  secure=$(kafka_secure_listeners "$i")
  cat <<P
process.roles=broker,controller
node.id=$i
controller.quorum.voters=$(kafka_voters)
listeners=$plain$secure,CONTROLLER://127.0.0.1:$((PORT_BASE + PORT_CONTROLLER + i - 1))
advertised.listeners=$plain$secure
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
log.dirs=$(service_dir "kafka-$i")/data
num.partitions=4
default.replication.factor=$replicas
min.insync.replicas=$in_sync
auto.create.topics.enable=false
offsets.topic.num.partitions=4
offsets.topic.replication.factor=$replicas
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=$replicas
transaction.state.log.min.isr=$in_sync
transaction.max.timeout.ms=900000
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=$replicas
share.coordinator.state.topic.min.isr=$in_sync
group.initial.rebalance.delay.ms=0
num.network.threads=2
num.io.threads=2
log.cleaner.dedupe.buffer.size=2097152
P
  # A short session lets a leader move within seconds when a broker is killed.
  if [ "$KAFKA_NODES" -gt 1 ]; then
    printf 'broker.session.timeout.ms=3000\nbroker.heartbeat.interval.ms=500\n'
  fi
  kafka_secure_properties
}

# The user of the SASL listeners is stored at once, so that --secure can be added at a later start.
kafka_format() {
  local dir=$1 mechanism scram=()
  if [ -e "$dir/data/meta.properties" ]; then return; fi
  for mechanism in SCRAM-SHA-256 SCRAM-SHA-512; do
    scram+=(--add-scram "$mechanism=[name=$KAFKA_USER,password=$KAFKA_PASSWORD]")
  done
  java_tool kafka.tools.StorageTool format -t "$(cat "$STACK_DIR/kafka-cluster-id")" \
    -c "$dir/server.properties" "${scram[@]}" >"$dir/format.log" 2>&1 9>&- ||
    die "$EXIT_FAILED" "Kafka could not format its storage; see $dir/format.log"
}

kafka_cluster_id() {
  if [ -e "$STACK_DIR/kafka-cluster-id" ]; then return; fi
  # 16 bytes as base64 for URLs: the first letter must not look like an option, and the last one
  # carries two bits only.
  printf 'o%sA' "$(head -c 16 /dev/urandom | base64 | tr '+/' 'AB' | cut -c2-21)" \
    >"$STACK_DIR/kafka-cluster-id"
}

kafka_launch() {
  local service=$1 dir heap=-Xmx512m JVM_FLAGS
  dir=$(service_dir "$service")
  mkdir -p "$dir"
  [ "$SECURE" = no ] || make_certificates
  kafka_cluster_id
  kafka_properties "$(index_of "$service")" >"$dir/server.properties"
  kafka_format "$dir"
  wc -c 2>/dev/null <"$dir/log" >"$dir/log-start" || echo 0 >"$dir/log-start"
  [ "$KAFKA_NODES" = 1 ] || heap=-Xmx384m
  jvm_flags "$service"
  # shellcheck disable=SC2086
  launch "$service" "$JAVA" "${JVM_FLAGS[@]}" $heap ${ONCEFLOW_KAFKA_JVM:-} \
    -cp "$KAFKA_JARS/*" kafka.Kafka "$dir/server.properties"
}

kafka_is_ready() {
  local dir
  dir=$(service_dir "$1")
  tail -c "+$(($(cat "$dir/log-start") + 1))" "$dir/log" 2>/dev/null |
    grep -q 'Kafka Server started' && port_open "$(service_port "$1")"
}

kafka_await() { wait_until "$1" "${ONCEFLOW_START_TIMEOUT:-120}" kafka_is_ready "$1"; }
