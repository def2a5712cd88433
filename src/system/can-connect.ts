/** Whether the host of an address takes a TCP connection within the time. */
export async function canConnect(url: URL, timeoutMs: number): Promise<boolean> {
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  const connecting = Bun.connect({ hostname: url.hostname, port, socket: { data() {} } }).then(
    (socket) => {
      socket.end();
      return true;
    },
    () => false,
  );
  let timer: Timer | undefined;
  const tooLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  const connected = await Promise.race([connecting, tooLate]);
  clearTimeout(timer);
  return connected;
}
