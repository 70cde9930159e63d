/** Opens a name without its content: for `fstat`, and to come back to the very same thing. Linux alone has it, and Node no name for it. */
export const O_PATH = 0o10000000;
