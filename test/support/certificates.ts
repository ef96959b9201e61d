import { generateKeyPairSync, randomBytes } from "node:crypto";
import forge from "node-forge";

export interface Pair {
  /** PEM texts. */
  readonly key: string;
  readonly cert: string;
}

export interface Certificates {
  /** PEM text of the authority that signed the others. */
  readonly ca: string;
  /** For localhost and 127.0.0.1. */
  readonly server: Pair;
  /** Signed by the authority, for another host. */
  readonly otherHost: Pair;
  /** Signed by the authority, for localhost, no longer valid. */
  readonly expired: Pair;
  /** Signed by itself, for localhost. */
  readonly selfSigned: Pair;
  readonly client: Pair;
}

interface Wanted {
  readonly name: string;
  readonly extension: object;
  /** Signs itself unless said. */
  readonly signedBy?: { readonly name: string; readonly key: string };
  readonly endsInDays?: number;
}

/** Fresh ones, made without any program of the machine. */
export function createCertificates(): Certificates {
  const ca = create({
    name: "paydrop test authority",
    extension: { name: "keyUsage", critical: true, keyCertSign: true },
  });
  const signedBy = { name: "paydrop test authority", key: ca.key };
  return {
    ca: ca.cert,
    server: create({ name: "server", extension: LOCAL_NAMES, signedBy }),
    otherHost: create({ name: "other", extension: namesOf("elsewhere.example"), signedBy }),
    expired: create({ name: "expired", extension: LOCAL_NAMES, signedBy, endsInDays: -1 }),
    selfSigned: create({ name: "localhost", extension: LOCAL_NAMES }),
    client: create({ name: "client", extension: namesOf("client.example"), signedBy }),
  };
}

function create({ name, extension, signedBy, endsInDays = 2 }: Wanted): Pair {
  const { privateKey: key, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const cert = forge.pki.createCertificate();
  cert.publicKey = forge.pki.publicKeyFromPem(publicKey);
  // zero in front: a serial number is positive
  cert.serialNumber = `00${randomBytes(8).toString("hex")}`;
  cert.validity.notBefore = new Date(Date.now() - 2 * DAY_MS);
  cert.validity.notAfter = new Date(Date.now() + endsInDays * DAY_MS);
  cert.setSubject([{ name: "commonName", value: name }]);
  cert.setIssuer([{ name: "commonName", value: signedBy?.name ?? name }]);
  cert.setExtensions([...(signedBy ? [] : [{ name: "basicConstraints", critical: true, cA: true }]), extension]);
  cert.sign(forge.pki.privateKeyFromPem(signedBy?.key ?? key), forge.md.sha256.create());
  return { key, cert: forge.pki.certificateToPem(cert) };
}

const DAY_MS = 86_400_000;
const DNS = 2;
const IP = 7;

function namesOf(host: string, ip?: string): object {
  const names = [{ type: DNS, value: host }, ...(ip === undefined ? [] : [{ type: IP, ip }])];
  return { name: "subjectAltName", altNames: names };
}

const LOCAL_NAMES = namesOf("localhost", "127.0.0.1");
