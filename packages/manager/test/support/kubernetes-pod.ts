/** What the Pods of the tests are like. */
export const POD: { readonly storageSize: string } = { storageSize: '16Mi' };
