/** Ends a switch over a union: a new member that is not handled does not compile, and throws if it arrives from outside. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
