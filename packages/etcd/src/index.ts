// The adapter to etcd: the metadata store on its raw calls.
export type { EtcdOptions, EtcdTls } from './etcd-clients.ts'
export { EtcdMetadataStore, type EtcdStatus } from './etcd-metadata-store.ts'
