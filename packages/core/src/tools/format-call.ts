/** A call as a model reads and repeats it: `Read(file_path="/a", offset=3)`. */
export function formatCall(tool: string, input: Readonly<Record<string, unknown>>): string {
  const parameters = Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${tool}(${parameters.join(', ')})`;
}
