/**
 * A value that is made when it is first asked for, and kept. For what takes time to make and would
 * otherwise be made by importing this package, such as a schema.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
