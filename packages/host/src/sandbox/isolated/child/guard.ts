/** What Node has on `process` beside what it documents. */
type Inner = { _kill?: (pid: number, signal: number) => number; _debugProcess?: unknown };

/** What libuv answers to what is not permitted. */
const notPermitted = -1;

/**
 * Takes away the ways to signal other processes, which Node's permissions leave open: without a namespace a plugin
 * could end the host, or have it open a debugger port.
 */
export function signalOnlyItself(): void {
  const inner = process as unknown as Inner;
  const kill = inner._kill?.bind(process);
  inner._kill = (pid, signal) => (pid === process.pid && kill !== undefined ? kill(pid, signal) : notPermitted);
  delete inner._debugProcess;
}
