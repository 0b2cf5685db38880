/** Global names of the language: what they hold, and all that is reached from there, is fixed. Those that an older Node lacks are passed over. */
export const LANGUAGE_GLOBALS: readonly string[] = [
  ...[
    'Object',
    'Function',
    'Array',
    'String',
    'Number',
    'Boolean',
    'Symbol',
    'BigInt',
    'Date',
    'RegExp',
    'Promise',
    'Proxy',
    'Iterator',
  ],
  ...[
    'Error',
    'TypeError',
    'RangeError',
    'SyntaxError',
    'ReferenceError',
    'EvalError',
    'URIError',
    'AggregateError',
    'SuppressedError',
  ],
  ...['Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry', 'DisposableStack', 'AsyncDisposableStack'],
  ...[
    'ArrayBuffer',
    'SharedArrayBuffer',
    'DataView',
    'Uint8Array',
    'Uint8ClampedArray',
    'Uint16Array',
    'Uint32Array',
    'Int8Array',
  ],
  ...['Int16Array', 'Int32Array', 'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'],
  ...['Math', 'JSON', 'Reflect', 'Atomics', 'Intl', 'WebAssembly', 'Temporal'],
  ...['eval', 'parseInt', 'parseFloat', 'isNaN', 'isFinite', 'escape', 'unescape'],
  ...['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'globalThis'],
];

/**
 * Global names of Node and the web that are shared. Not among them: what Node loads only when it is used, and what people fill in where an
 * old Node lacks it (`WebSocket`).
 */
export const NODE_GLOBALS: readonly string[] = [
  ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate', 'queueMicrotask'],
  ...['structuredClone', 'fetch', 'atob', 'btoa', 'URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder'],
  ...['AbortController', 'AbortSignal', 'Event', 'EventTarget', 'Buffer', 'console', 'process', 'global'],
];

/** Those of them that are classes: their methods are fixed too. */
export const NODE_CLASSES: readonly string[] = [
  ...['URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'AbortController', 'AbortSignal', 'Event', 'EventTarget', 'Buffer'],
];

/** Functions of `process` that common libraries put their own in the place of, for their thread alone. */
export const OPEN_PROCESS_FUNCTIONS: ReadonlySet<string> = new Set(['emit', 'reallyExit', 'emitWarning']);

/** What libraries set on `Error` itself. */
export const OPEN_ERROR_KEYS: ReadonlySet<PropertyKey> = new Set(['stackTraceLimit', 'prepareStackTrace']);

/**
 * Names that objects and classes give themselves by assignment. In a prototype they are accessors, as a read-only value there would
 * forbid the assignment to all that inherit it.
 */
export const OVERRIDDEN: readonly string[] = [
  ...[
    'toString',
    'toLocaleString',
    'valueOf',
    'toJSON',
    'name',
    'message',
    'hasOwnProperty',
    'isPrototypeOf',
    'propertyIsEnumerable',
  ],
];
export const OVERRIDDEN_IN_FUNCTIONS: readonly string[] = ['call', 'apply', 'bind'];
export const OVERRIDDEN_IN_ARRAYS: readonly string[] = ['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'concat'];
export const OVERRIDDEN_IN_PROMISES: readonly string[] = ['catch', 'finally'];

/**
 * Keys of prototypes that stay writable and are watched instead. Redefining them would take from V8 what makes iteration and `slice` quick,
 * `constructor` as an accessor would hide the names of classes from `console.log`, and both are assigned by old compilers' helpers.
 */
export const WATCHED_KEYS: readonly PropertyKey[] = ['constructor', Symbol.iterator, Symbol.asyncIterator];
