// Original file: ../../proto/onceflow/v1/admin.proto

import type { Transaction as _onceflow_v1_Transaction, Transaction__Output as _onceflow_v1_Transaction__Output } from '../../onceflow/v1/Transaction.ts';

export interface ListTransactionsResponse {
  'transactions'?: (_onceflow_v1_Transaction)[];
  'nextPageToken'?: (string);
}

export interface ListTransactionsResponse__Output {
  'transactions': (_onceflow_v1_Transaction__Output)[];
  'nextPageToken': (string);
}
