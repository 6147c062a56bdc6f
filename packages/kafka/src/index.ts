// The adapter to Kafka: reads assigned partitions from exact positions.
export {}
