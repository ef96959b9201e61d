import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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

/** Fresh certificates made by the openssl command. */
export function createCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), "paydrop-certificates-"));
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const read = (name: string): Pair => ({
    key: readFileSync(join(folder, `${name}.key`), "utf8"),
    cert: readFileSync(join(folder, `${name}.crt`), "utf8"),
  });

  const createKey = (name: string) =>
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", `${name}.key`);

  function selfSign(name: string, subject: string, extension: string): void {
    createKey(name);
    const subjectArgs = ["-subj", subject, "-addext", extension];
    openssl("req", "-x509", "-new", "-key", `${name}.key`, ...subjectArgs, "-days", "2", "-out", `${name}.crt`);
  }

  function sign(name: string, alternativeName: string, validity: readonly string[] = ["-days", "2"]): Pair {
    createKey(name);
    openssl("req", "-new", "-key", `${name}.key`, "-subj", `/CN=${name}`, "-out", `${name}.csr`);
    writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${alternativeName}\n`);
    const authority = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", `${name}.ext`];
    openssl("x509", "-req", "-in", `${name}.csr`, ...authority, ...validity, "-out", `${name}.crt`);
    return read(name);
  }

  try {
    selfSign("ca", "/CN=paydrop test authority", "keyUsage=critical,keyCertSign");
    selfSign("self", "/CN=localhost", LOCALHOST);
    return {
      ca: read("ca").cert,
      server: sign("server", LOCAL_NAMES),
      otherHost: sign("other", "DNS:elsewhere.example"),
      // openssl 3.0 cannot set a past end by date, but takes a negative number of days
      expired: sign("expired", LOCAL_NAMES, ["-days", "-1"]),
      selfSigned: read("self"),
      client: sign("client", "DNS:client.example"),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const LOCAL_NAMES = "DNS:localhost,IP:127.0.0.1";
const LOCALHOST = `subjectAltName=${LOCAL_NAMES}`;
