/** `pi-ai/oauth`: only types in today's package. Extensions bring a sign-in as `oauth` of `pi.registerProvider()`. */
export {};
