// Decides RESOLVE, the three-valued commit and the life of a Kafka transaction as reducers.
export {}
