// Original file: ../../proto/google/rpc/error_details.proto


export interface _google_rpc_Help_Link {
  'description'?: (string);
  'url'?: (string);
}

export interface _google_rpc_Help_Link__Output {
  'description': (string);
  'url': (string);
}

export interface Help {
  'links'?: (_google_rpc_Help_Link)[];
}

export interface Help__Output {
  'links': (_google_rpc_Help_Link__Output)[];
}
