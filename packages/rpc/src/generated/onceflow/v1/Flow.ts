// Original file: ../../proto/onceflow/v1/admin.proto

import type { Long } from '@grpc/proto-loader';

export interface Flow {
  'recordsPerSecond'?: (number | string);
  'rowsPerSecond'?: (number | string);
  'lagRecords'?: (number | string | Long);
  'freshnessMs'?: (number | string | Long);
  '_freshnessMs'?: "freshnessMs";
}

export interface Flow__Output {
  'recordsPerSecond': (number);
  'rowsPerSecond': (number);
  'lagRecords': (string);
  'freshnessMs'?: (string);
  '_freshnessMs'?: "freshnessMs";
}
