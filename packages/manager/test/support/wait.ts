/** For whatever is waited for, on a machine that has much else to do. */
export const WAIT: { readonly timeout: number } = { timeout: 120_000 };
