// Original file: ../../proto/onceflow/v1/admin.proto

import type { Pipeline as _onceflow_v1_Pipeline, Pipeline__Output as _onceflow_v1_Pipeline__Output } from '../../onceflow/v1/Pipeline.ts';
import type { FieldMask as _google_protobuf_FieldMask, FieldMask__Output as _google_protobuf_FieldMask__Output } from '../../google/protobuf/FieldMask.ts';

export interface UpdatePipelineRequest {
  'pipeline'?: (_onceflow_v1_Pipeline | null);
  'updateMask'?: (_google_protobuf_FieldMask | null);
  'allowMissing'?: (boolean);
  'validateOnly'?: (boolean);
  'requestId'?: (string);
}

export interface UpdatePipelineRequest__Output {
  'pipeline': (_onceflow_v1_Pipeline__Output | null);
  'updateMask': (_google_protobuf_FieldMask__Output | null);
  'allowMissing': (boolean);
  'validateOnly': (boolean);
  'requestId': (string);
}
