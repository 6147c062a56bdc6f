import type { Json } from '@onceflow/model'
import { stringify } from 'yaml'

/** YAML text of a value, for people; the pipeline parser reads it back. */
export const jsonToYaml = (value: Json): string => stringify(value, { lineWidth: 100 })
