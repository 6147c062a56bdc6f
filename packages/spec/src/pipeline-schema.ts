import type { Json } from '@onceflow/model'
import { z } from 'zod'
import { pipelineDocument } from './pipeline-document.ts'

/** The JSON Schema of a pipeline document, for editors and other programs. */
export function pipelineJsonSchema(): Json {
  const schema = z.toJSONSchema(pipelineDocument, { io: 'input', target: 'draft-2020-12' })
  return {
    ...(JSON.parse(JSON.stringify(schema)) as { readonly [key: string]: Json }),
    title: 'onceflow pipeline',
  }
}
