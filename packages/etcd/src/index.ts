// The adapter to etcd: lease, decisions and pipelines.
export {}
