const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Such as `512 B` or `1.4 MB`. */
export function formatBytes(bytes: number): string {
  const exponent = Math.min(BYTE_UNITS.length - 1, bytes < 1_000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** exponent;
  const digits = exponent === 0 || amount >= 100 ? 0 : 1;
  return `${amount.toFixed(digits)} ${BYTE_UNITS[exponent]}`;
}

/** Such as `340 ms`, `12 s`, `4 min`, `2 h 5 min` or `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 10) return `${(ms / 1_000).toFixed(1)} s`;
  return formatSeconds(seconds);
}

/** As a duration, in whole seconds: for what counts on. */
export function formatCountdown(ms: number): string {
  return formatSeconds(Math.max(0, Math.floor(ms / 1_000)));
}

function formatSeconds(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (seconds < 60) return `${seconds} s`;
  if (minutes < 60) return minutes < 10 ? join(`${minutes} min`, seconds % 60, 's') : `${minutes} min`;
  if (hours < 24) return join(`${hours} h`, minutes % 60, 'min');
  return join(`${days} d`, hours % 24, 'h');
}

function join(whole: string, rest: number, unit: string): string {
  return rest === 0 ? whole : `${whole} ${rest} ${unit}`;
}

/** How much of something there is, such as `1 tool` or `3 tools`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
