internal import CPushShims

/// Makes certificates for tests: its own authority, the certificates that it issues, and .p12 files.
package final class TestAuthority {
    package final class Identity {
        package let certificate: OpaquePointer
        package let key: OpaquePointer
        package init(certificate: OpaquePointer, key: OpaquePointer) {
            (self.certificate, self.key) = (certificate, key)
        }
        deinit {
            X509_free(certificate)
            EVP_PKEY_free(key)
        }
        package var certificatePEM: [UInt8] { writtenPEM { PEM_write_bio_X509($0, certificate) } }
        package var keyPEM: [UInt8] {
            writtenPEM { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
        }
        /// Returns the key, encrypted in PKCS#8.
        package func keyPEM(password: String) -> [UInt8] {
            let secret = Array(password.utf8)
            return writtenPEM {
                PEM_write_bio_PrivateKey($0, key, EVP_aes_256_cbc(), secret, Int32(secret.count), nil, nil)
            }
        }
    }

    package let identity: Identity
    package var pem: [UInt8] { identity.certificatePEM }
    private var serial = 1

    package init(name: String = "Test Authority") {
        let key = TestAuthority.makeKey()
        let certificate = TestAuthority.makeCertificate(
            subject: [(NID_commonName, name)], serial: 1, key: key, issuer: nil, days: -1...30,
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
            ])
        identity = Identity(certificate: certificate, key: key)
    }

    /// - Parameter days: The days of validity relative to now. A certificate with `-10 ... -1` has expired.
    package func issue(
        _ name: String = "localhost", userID: String? = nil,
        alternativeNames: String? = "DNS:localhost,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1",
        days: ClosedRange<Int> = -1...30
    ) -> Identity {
        serial += 1
        let key = TestAuthority.makeKey()
        var subject = [(NID_commonName, name)]
        if let userID { subject.append((NID_userId, userID)) }
        let certificate = TestAuthority.makeCertificate(
            subject: subject, serial: serial, key: key, issuer: identity, days: days,
            extensions: alternativeNames.map { [(NID_subject_alt_name, $0)] } ?? [])
        return Identity(certificate: certificate, key: key)
    }

    package enum Bag { case modern, keychain }
    /// Returns a .p12 file. Without an identity, it contains only the authority's certificate, as people
    /// export it by mistake.
    /// The keychain's kind has the certificate in RC2-40 and the key in 3DES, both with SHA-1 and few
    /// iterations.
    package func bag(_ identity: Identity?, password: String?, kind: Bag = .modern) -> [UInt8] {
        let library = OSSL_LIB_CTX_new()
        let providers = [OSSL_PROVIDER_load(library, "default"), OSSL_PROVIDER_load(library, "legacy")]
        let chain = OPENSSL_sk_new_null()
        OPENSSL_sk_push(chain, UnsafeRawPointer(self.identity.certificate))
        let p12 = PKCS12_create_ex(
            password, "test", identity?.key, identity?.certificate, chain,
            kind == .keychain ? NID_pbe_WithSHA1And3_Key_TripleDES_CBC : 0,
            kind == .keychain ? NID_pbe_WithSHA1And40BitRC2_CBC : 0, 2048, kind == .keychain ? 1 : 2048, 0,
            library,
            nil)
        precondition(p12 != nil, "OpenSSL cannot make this .p12")
        let count = Int(i2d_PKCS12(p12, nil))
        var bytes = [UInt8](repeating: 0, count: count)
        bytes.withUnsafeMutableBufferPointer {
            var start = $0.baseAddress
            i2d_PKCS12(p12, &start)
        }
        PKCS12_free(p12)
        OPENSSL_sk_free(chain)
        for provider in providers { OSSL_PROVIDER_unload(provider) }
        OSSL_LIB_CTX_free(library)
        return bytes
    }

    // MARK: OpenSSL

    private static func makeKey() -> OpaquePointer {
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        defer { EVP_PKEY_CTX_free(context) }
        EVP_PKEY_keygen_init(context)
        EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1)
        var key: OpaquePointer?
        EVP_PKEY_generate(context, &key)
        return key!
    }

    private static func makeCertificate(
        subject: [(Int32, String)], serial: Int, key: OpaquePointer, issuer: Identity?,
        days: ClosedRange<Int>,
        extensions: [(Int32, String)]
    ) -> OpaquePointer {
        let certificate = X509_new()!
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial)
        X509_gmtime_adj(X509_getm_notBefore(certificate), days.lowerBound * 86_400)
        X509_gmtime_adj(X509_getm_notAfter(certificate), days.upperBound * 86_400)
        X509_set_pubkey(certificate, key)
        let name = X509_get_subject_name(certificate)
        for (identifier, value) in subject {
            X509_NAME_add_entry_by_NID(name, identifier, V_ASN1_UTF8STRING, value, -1, -1, 0)
        }
        X509_set_issuer_name(certificate, issuer.map { X509_get_subject_name($0.certificate) } ?? name)
        for (identifier, value) in extensions {
            let made = X509V3_EXT_conf_nid(nil, nil, identifier, value)
            X509_add_ext(certificate, made, -1)
            X509_EXTENSION_free(made)
        }
        X509_sign(certificate, issuer?.key ?? key, EVP_sha256())
        return certificate
    }
}

private func writtenPEM(_ write: (OpaquePointer?) -> Int32) -> [UInt8] {
    let bio = BIO_new(BIO_s_mem())
    defer { BIO_free(bio) }
    precondition(write(bio) == 1)
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = BIO_read(bio, &bytes, Int32(bytes.count))
    return Array(bytes.prefix(Int(max(0, count))))
}
