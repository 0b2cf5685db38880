// Not `import http from 'node:http'`: that evaluates every export, and `http.WebSocket` and its like load Node's whole fetch
// (30 ms and 16 MB on Node 24).
export const http = process.getBuiltinModule('node:http');
export const https = process.getBuiltinModule('node:https');
