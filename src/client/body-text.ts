/**
 * The text of a body. Without `Accept-Encoding` a service may compress its answers as it likes (RFC 9110 §12.5.3), and
 * what it says of a failure would be read by nobody. What cannot be read so stays as it came.
 */
export function bodyText(bytes: Buffer, contentEncoding: string, bytesMax: number): string {
  const coding = contentEncoding.trim().toLowerCase();
  return (coding === "" ? bytes : (decoded(bytes, coding, bytesMax) ?? bytes)).toString("utf8");
}

function decoded(bytes: Buffer, coding: string, bytesMax: number): Buffer | undefined {
  // loaded where one is met: hardly any service does
  const { brotliDecompressSync, inflateSync, gunzipSync } = process.getBuiltinModule("node:zlib");
  const bounded = { maxOutputLength: bytesMax };
  try {
    if (coding === "br") return brotliDecompressSync(bytes, bounded);
    if (coding === "deflate") return inflateSync(bytes, bounded);
    return coding === "gzip" || coding === "x-gzip" ? gunzipSync(bytes, bounded) : undefined;
  } catch {
    return undefined;
  }
}
