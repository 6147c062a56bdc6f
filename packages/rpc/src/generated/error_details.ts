import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { BadRequest as _google_rpc_BadRequest, BadRequest__Output as _google_rpc_BadRequest__Output } from './google/rpc/BadRequest.ts';
import type { ErrorInfo as _google_rpc_ErrorInfo, ErrorInfo__Output as _google_rpc_ErrorInfo__Output } from './google/rpc/ErrorInfo.ts';
import type { Help as _google_rpc_Help, Help__Output as _google_rpc_Help__Output } from './google/rpc/Help.ts';
import type { PreconditionFailure as _google_rpc_PreconditionFailure, PreconditionFailure__Output as _google_rpc_PreconditionFailure__Output } from './google/rpc/PreconditionFailure.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  google: {
    rpc: {
      BadRequest: MessageTypeDefinition<_google_rpc_BadRequest, _google_rpc_BadRequest__Output>
      ErrorInfo: MessageTypeDefinition<_google_rpc_ErrorInfo, _google_rpc_ErrorInfo__Output>
      Help: MessageTypeDefinition<_google_rpc_Help, _google_rpc_Help__Output>
      PreconditionFailure: MessageTypeDefinition<_google_rpc_PreconditionFailure, _google_rpc_PreconditionFailure__Output>
    }
  }
}

