const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Whether a provider could read it. What it cannot read would be in the conversation for good, and fail every request after it. */
export function isBase64(data: string): boolean {
  return BASE64.test(data) && data.length % 4 === 0;
}
