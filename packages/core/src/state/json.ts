interface RawJson {
  readonly rawJSON: string;
}

/** Newer than the library typings: proposal-json-parse-with-source, in Node since 21. */
const json = JSON as unknown as {
  rawJSON(text: string): RawJson;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
};

/**
 * As `JSON.parse`, but an integer too large for a double comes back out of `JSON.stringify` as it
 * was. For files of which we change a part and keep the rest.
 */
export function parseJsonLosslessly(text: string): unknown {
  return json.parse(text, (_key, value, { source }) => {
    const isRounded = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
    return isRounded && source !== undefined ? json.rawJSON(source) : value;
  });
}
