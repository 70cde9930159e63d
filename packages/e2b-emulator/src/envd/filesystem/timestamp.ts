const NS_PER_SECOND = 1_000_000_000n;

/** RFC 3339 in UTC with as many of 0, 3, 6 or 9 digits as it takes: how protobuf's JSON writes a time. */
export function formatTimestamp(sinceEpochNs: bigint): string {
  const fractionNs = ((sinceEpochNs % NS_PER_SECOND) + NS_PER_SECOND) % NS_PER_SECOND;
  const seconds = Number((sinceEpochNs - fractionNs) / NS_PER_SECOND);
  const digits = fractionNs
    .toString()
    .padStart(9, '0')
    .replace(/(000){1,3}$/, '');
  const time = new Date(seconds * 1000).toISOString().slice(0, -'.000Z'.length);
  return `${time}${digits === '' ? '' : `.${digits}`}Z`;
}
