import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { defined } from "../defined.ts";
import { messageOf, PaydropError } from "../errors.ts";

/** Certificates and a key as PEM texts. */
export interface Certificates {
  /** The authorities to trust; they replace the built-in ones. */
  readonly ca?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
}

/**
 * Throws PaydropError "config" for what TLS would refuse at every connection, or ignore in silence: an empty text, a
 * path in place of a text, a certificate without its key. The message repeats nothing of a key.
 */
export function assertCertificates({ ca, clientCert, clientKey }: Certificates): void {
  if (ca !== undefined) attempt("the certificates to trust are", () => new X509Certificate(ca));
  if ((clientCert === undefined) !== (clientKey === undefined)) {
    const missing = clientCert === undefined ? "the certificate is" : "the key is";
    throw new PaydropError("config", `a client certificate and its key belong together, and ${missing} missing`, HINT);
  }
  if (clientCert === undefined || clientKey === undefined) return;
  attempt("the client certificate is", () => new X509Certificate(clientCert));
  if (clientKey === "") throw notRight("the key of the client certificate is", "it is empty");
  attempt("the key of the client certificate is", () => createSecureContext({ cert: clientCert, key: clientKey }));
}

/** How TLS is spoken with the service. */
export function tlsOf({ ca, clientCert, clientKey }: Certificates) {
  // said outright, so that NODE_TLS_REJECT_UNAUTHORIZED=0 changes nothing
  return {
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    ...defined({ ca, cert: clientCert, key: clientKey }),
  } as const;
}

const HINT = "give the text of a PEM file, which begins with -----BEGIN; keys without a passphrase";

function attempt(what: string, use: () => unknown): void {
  try {
    use();
  } catch (error) {
    throw notRight(what, messageOf(error));
  }
}

function notRight(what: string, why: string): PaydropError {
  return new PaydropError("config", `${what} not right: ${why}`, HINT);
}
