/**
 * How an agent that has these tools reads a file, to be put after "read it with".
 * `undefined` if none of them reads files.
 */
export function waysToRead(toolNames: Iterable<string>): string | undefined {
  const names = new Set(toolNames);
  const ways = [
    ...(names.has('Read') ? ['the Read tool, a part at a time (offset, limit)'] : []),
    ...(names.has('Grep') ? ['the Grep tool, by what you look for'] : []),
  ];
  if (ways.length === 0 && names.has('Bash')) ways.push('the Bash tool, a part at a time (sed -n, grep)');
  return ways.length === 0 ? undefined : ways.join(', or ');
}
