/** Names and addresses of this machine that no other one can reach. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/gu, '').toLowerCase();
  return bare === 'localhost' || bare === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/u.test(bare);
}
