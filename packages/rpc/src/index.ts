// The adapter to gRPC: the control stream and the admin API.
export {}
