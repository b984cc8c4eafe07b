/** Prepares a schema for embedding in another one by removing its `$id`. */
export function embedded({ $id: _, ...schema }: { readonly $id?: unknown }): object {
  return schema
}
